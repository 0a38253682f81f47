"""Plans and what is in force of them, over HTTP and on a real PostgreSQL."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from moka.allocation import plan as plan_files
from moka.submission.configuration import PlanDays
from services.archer.database import plans
from services.archer.database.pool import Away
from services.archer.keeper.keeper import Keeper
from services.archer.worker.courier import GIVEN, Courier
from services.archer.worker.metrics import AMOUNTS_BEHIND
from services.common.metrics import Metrics
from tests.support.plans import ETL1, ETL2, QUEUES, amounts, plan_data, settings

OPS = {"X-Sender": "olga operators"}
CLUSTER = "spark-a"
DAILY = {"daily": {"cluster": CLUSTER, "why": "room"}}
OTHER = {"organizations": {"acme": QUEUES["organizations"]["acme"]}}


def now():
    return datetime.now(UTC).isoformat()


def data(name, cpu="24", of=None, jobs=7, **changes):
    queues = {ETL1: [amounts(cpu, "40Gi", jobs)]}
    return plan_data(queues, of, **{"id": name, "made": now(), "routes": DAILY, **changes})


class Desk:
    """An operator, with a cluster that has told its settings."""

    def __init__(self, client):
        self.client, self.pool = client, client.pool

    async def tell(self, of=None, cluster=CLUSTER):
        await self.pool.run(lambda c: plans.tell(c, cluster, of or settings()))

    async def propose(self, sent, headers=OPS):
        return await self.client.post("/v1/plans", json=sent, headers=headers)

    async def step(self, path, revision=None, headers=OPS, **more):
        if revision is None:
            revision = (await self.list())["in_force"]["number"]
        wish = {"revision": revision, "why": "a test"} | more
        return await self.client.post(f"/v1/plans/{path}", json=wish, headers=headers)

    async def apply(self, sent, **more):
        """Propose and apply; its revision."""
        answer = await self.propose(sent)
        assert answer.status_code == 200, answer.text
        answer = await self.step(f"{sent['id']}/apply", **more)
        assert answer.status_code == 200, answer.text
        return answer.json()["number"]

    async def list(self):
        return (await self.client.get("/v1/plans", headers=OPS)).json()

    async def states(self):
        return {plan["id"]: plan["state"] for plan in (await self.list())["plans"]}

    async def in_force(self):
        """Plan, cores of the first queue, and workflow -> plan of its route."""
        held = await self.pool.run(lambda c: plans.amounts(c, CLUSTER))
        cpu = held.queues[ETL1].at(0).guaranteed.cpu if ETL1 in held.queues else None
        routes = (await self.client.get("/v1/routes", headers=OPS)).json()["routes"]
        return held.plan, cpu, {route["workflow"]: route["plan"] for route in routes}


@pytest.fixture
def desk(serve):
    """Run a coroutine function with a desk."""

    def run(work, of=None, **options):
        async def inside(client):
            desk = Desk(client)
            await desk.tell(of)
            return await work(desk)

        return serve(inside, **options)

    return run


def sentence(answer):
    return answer.status_code, answer.json()["type"].removeprefix("urn:archer:"), answer.json()["detail"]


def test_a_plan_waits_takes_effect_and_is_superseded(desk):
    async def work(desk):
        first = await desk.propose(data("monday"))
        states = [await desk.states()]
        before = await desk.in_force()
        answer = await desk.step("monday/apply", revision=0)
        states.append(await desk.states())
        applied = await desk.in_force()
        await desk.propose(data("waits"))
        await desk.apply(data("tuesday", "22"))
        states.append(await desk.states())
        whole = await desk.client.get("/v1/plans/monday", headers=OPS)
        return first, before, answer.json(), applied, states, await desk.list(), whole.json()

    first, before, answer, applied, states, listed, whole = desk(work)
    assert (first.status_code, first.json()["proposed_by"]) == (200, "olga")
    assert before == (None, None, {})
    assert (answer["after"], answer["kind"], answer["by"], answer["left_out"]) == (0, "apply", "olga", [])
    assert applied == ("monday", "24", {"daily": "monday"})
    assert states == [
        {"monday": "proposed"},
        {"monday": "applied"},
        {"monday": "superseded", "waits": "superseded", "tuesday": "applied"},
    ]
    assert [revision["plan"] for revision in listed["revisions"]] == ["tuesday", "monday", None]
    assert listed["clusters"] == [{"cluster": CLUSTER, "revision": 0, "brought": None}]
    assert whole["document"]["clusters"][CLUSTER]["queues"][ETL1]["hours"][0]["max_applications"] == 7


def test_a_step_that_is_sent_again_is_made_once(desk):
    async def work(desk):
        await desk.propose(data("monday"))
        request = str(uuid4())
        first, again = [
            await desk.step("monday/apply", revision=0, request=request, why="once") for _ in range(2)
        ]
        other = await desk.step("withdraw", revision=0, request=request)
        return first.json(), again.json(), other

    first, again, other = desk(work)
    assert first == again
    assert sentence(other)[:2] == (409, "another-revision")


def test_a_plan_that_is_sent_again_is_the_same_and_another_of_its_id_is_refused(desk):
    async def work(desk):
        sent = data("monday")
        first, again = await desk.propose(sent), await desk.propose(sent)
        return first, again, await desk.propose({**sent, "by": "somebody"})

    first, again, other = desk(work)
    assert first.json() == again.json()
    assert sentence(other)[:2] == (409, "plan-exists")


def test_of_two_applies_at_once_one_wins_and_the_other_is_told(desk):
    async def work(desk):
        names = [f"plan-{number}" for number in range(8)]
        for number, name in enumerate(names):
            await desk.propose(data(name, str(20 + number)))
        answers = await asyncio.gather(*(desk.step(f"{name}/apply", revision=0) for name in names))
        return dict(zip(names, answers, strict=True)), await desk.in_force(), await desk.list()

    answers, in_force, listed = desk(work)
    [winner] = [name for name, answer in answers.items() if answer.status_code == 200]
    assert in_force == (winner, str(20 + int(winner[-1])), {"daily": winner})
    assert len(listed["revisions"]) == 2
    for name, answer in answers.items():
        if name != winner:
            status, kind, says = sentence(answer)
            assert (status, kind) == (409, "another-revision")
            assert f"with plan {winner}, by olga: look at what changes now" in says


def test_routes_and_amounts_take_effect_together_or_neither_does(desk):
    """Whoever writes the routes is cut off, and then the amounts: nothing of the plan is there."""

    async def work(desk):
        await desk.apply(data("before"))
        found = []
        for table in ("routes", "allocation.amounts"):
            await desk.pool.run(
                lambda c, table=table: c.execute(
                    "CREATE OR REPLACE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
                    "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;"
                    f"CREATE TRIGGER die AFTER INSERT ON {table} EXECUTE FUNCTION die()"
                )
            )
            last = await desk.pool.run(plans.in_force)
            sent = data("after", "30", routes={**DAILY, "weekly": DAILY["daily"]})
            step = plans.Step(
                kind="apply",
                plan=plan_files.read(sent, "plan"),
                after=last.number,
                request=uuid4(),
                by="olga",
                why="a test",
            )
            await desk.propose(sent)
            with pytest.raises(Away):
                await desk.pool.run(lambda c, step=step: plans.step(c, step), patience_seconds=0.5)
            found.append((await desk.in_force(), (await desk.pool.run(plans.in_force)).number == last.number))
            await desk.pool.run(lambda c, table=table: c.execute(f"DROP TRIGGER die ON {table}"))
        row = await desk.pool.run(lambda c: plans.step(c, step))
        again = await desk.pool.run(lambda c: plans.step(c, step))
        return found, await desk.in_force(), row, again

    found, after, row, again = desk(work)
    assert found == [(("before", "24", {"daily": "before"}), True)] * 2
    # The route that did not change is still that of the plan that set it.
    assert after == ("after", "30", {"daily": "before", "weekly": "after"})
    assert row == again, "a step whose answer was lost is not made twice"


def test_rollback_to_an_earlier_plan_is_a_revision_that_says_so(desk):
    async def work(desk):
        await desk.apply(data("monday", "24"))
        await desk.apply(data("tuesday", "28", routes={}))
        middle = await desk.in_force()
        answer = await desk.step("monday/rollback")
        listed = await desk.list()
        never = await desk.propose(data("never"))
        return (
            middle,
            answer.json(),
            listed,
            await desk.in_force(),
            [
                await desk.step("never/rollback"),
                await desk.step("tuesday/apply"),
                await desk.step("monday/rollback"),
                never,
            ],
        )

    middle, answer, listed, after, answers = desk(work)
    assert middle == ("tuesday", "28", {})
    assert after == ("monday", "24", {"daily": "monday"})
    assert (answer["kind"], answer["plan"]) == ("rollback", "monday")
    assert [revision["kind"] for revision in listed["revisions"]] == [
        "rollback",
        "apply",
        "apply",
        "settings",
    ]
    assert [sentence(one)[2] for one in answers[:3]] == [
        "Plan never never was in force: apply it instead.",
        "Plan tuesday was in force before: roll back to it instead.",
        "Plan monday is in force already.",
    ]


def test_a_plan_is_withdrawn_and_the_settings_hold(desk):
    async def work(desk):
        nothing = await desk.step("withdraw")
        await desk.apply(data("monday"))
        answer = await desk.step("withdraw")
        return nothing, answer.json(), await desk.in_force(), await desk.states()

    nothing, answer, after, states = desk(work)
    assert sentence(nothing)[2] == "No plan is in force: the settings hold already."
    assert (answer["kind"], answer["plan"]) == ("withdrawal", None)
    assert after == (None, None, {})
    assert states == {"monday": "superseded"}


def test_an_old_plan_is_refused_however_late_it_comes(desk):
    async def work(desk):
        waits, late = data("waits"), data("late")
        await desk.propose(waits)
        await desk.apply(data("newer"))
        await desk.propose(late)
        return [await desk.step(f"{name}/apply") for name in ("waits", "late")], await desk.in_force()

    answers, in_force = desk(work)
    for name, answer in zip(("waits", "late"), answers, strict=True):
        assert sentence(answer) == (
            409,
            "plan-refused",
            f"Plan {name} was made before plan newer took effect: make a new one.",
        )
    assert in_force[0] == "newer"


def test_a_plan_of_other_settings_is_refused_when_it_is_sent_and_when_they_changed_since(desk):
    other = settings(OTHER)

    async def work(desk):
        first = await desk.propose(data("monday", of=other))
        await desk.propose(data("tuesday"))
        await desk.tell(other)
        return first, await desk.step("tuesday/apply"), await desk.in_force()

    first, second, in_force = desk(work)
    assert sentence(first)[:2] == (422, "invalid-plan")
    assert "is of other queues than the settings of this cluster have now" in sentence(first)[2]
    assert sentence(second)[:2] == (409, "plan-refused")
    assert in_force == (None, None, {})


def test_settings_that_change_while_a_plan_is_applied_refuse_it(desk):
    async def work(desk):
        sent = plan_files.read(data("monday"), "plan")
        await desk.pool.run(lambda c: plans.propose(c, sent, "olga"))
        await desk.tell(settings(OTHER))
        step = plans.Step(
            kind="apply",
            plan=sent,
            after=0,
            request=uuid4(),
            by="olga",
            why="a test",
            digests={CLUSTER: settings().digest},
        )
        with pytest.raises(plans.PlanRefused, match=r"other queues than the settings of spark-a have"):
            await desk.pool.run(lambda c: plans.step(c, step))
        return await desk.in_force()

    assert desk(work) == (None, None, {})


def test_a_rollback_after_a_change_of_the_settings_says_what_is_left_out(desk):
    async def work(desk):
        await desk.apply(data("monday"))
        await desk.apply(data("tuesday", "28"))
        await desk.tell(settings({"organizations": {"ml": QUEUES["organizations"]["ml"]}}))
        return (await desk.step("monday/rollback")).json(), await desk.in_force()

    answer, in_force = desk(work)
    assert any(f"{ETL1}: is none of the queues in the settings" in one for one in answer["left_out"])
    assert in_force[0] == "monday"


def test_a_route_that_somebody_set_stays_and_refuses_the_plan(desk):
    async def work(desk):
        await desk.propose(data("monday"))
        route = {"workflow": "daily", "cluster": CLUSTER, "why": "mine"}
        await desk.client.put("/v1/routes", json=route, headers=OPS)
        refused, held = await desk.step("monday/apply"), await desk.in_force()
        await desk.client.delete("/v1/routes/daily", headers=OPS)
        done = await desk.step("monday/apply")
        await desk.client.put("/v1/routes", json=route, headers=OPS)
        return refused, held, done, await desk.in_force()

    refused, held, done, after = desk(work)
    assert sentence(refused)[2].startswith("daily has a route of olga, which plan monday would change")
    assert held == (None, None, {"daily": None})
    assert done.status_code == 200
    assert after == ("monday", "24", {"daily": None})


@pytest.mark.parametrize(
    ("bounds", "cpu", "says"),
    [
        ({}, "20", "allocation.by_itself: is false in the settings"),
        ({"by_itself": True, "most_moves": 1}, "20", None),
        ({"by_itself": True, "most_moves": 0}, "20", "routes: send 1 workflows somewhere else"),
        ({"by_itself": True}, "30", "changes its guaranteed cpu by 50%, more than the 20%"),
    ],
)
def test_a_plan_by_itself_keeps_to_what_the_settings_allow(desk, bounds, cpu, says):
    async def work(desk):
        await desk.propose(data("monday", cpu, jobs=None))
        return await desk.step("monday/apply", by_itself=True), await desk.in_force()

    answer, in_force = desk(work, settings(**bounds))
    if says is None:
        assert in_force[0] == "monday", answer.text
    else:
        assert sentence(answer)[:2] == (409, "waits-for-a-person")
        assert says in sentence(answer)[2]
        assert in_force == (None, None, {})


def test_what_a_plan_changes_by_itself_is_compared_with_the_plan_in_force(desk):
    async def work(desk):
        await desk.apply(data("monday", "30"))
        await desk.propose(data("tuesday", "33"))
        return await desk.step("tuesday/apply", by_itself=True)

    assert desk(work, settings(by_itself=True)).status_code == 200


def test_a_plan_that_somebody_refused_never_takes_effect(desk):
    async def work(desk):
        await desk.propose(data("monday"))
        refused = await desk.client.post("/v1/plans/monday/refuse", json={"why": "too much"}, headers=OPS)
        return refused.json(), await desk.step("monday/apply"), await desk.in_force()

    refused, answer, in_force = desk(work)
    assert (refused["state"], refused["refused_by"], refused["why"]) == ("refused", "olga", "too much")
    assert sentence(answer)[2] == "Plan monday was refused: make a new one."
    assert in_force == (None, None, {})


def test_only_those_who_operate_change_what_is_in_force(desk):
    async def work(desk):
        await desk.propose(data("monday"))
        ann = {"X-Sender": "ann"}
        return [
            await desk.propose(data("mine"), headers=ann),
            *[
                await desk.step(path, revision=0, headers=ann)
                for path in ("monday/apply", "monday/rollback", "withdraw")
            ],
            await desk.client.post("/v1/plans/monday/refuse", json={"why": "no"}, headers=ann),
            await desk.client.put("/v1/workflows", json=WORKFLOWS, headers=ann),
        ]

    assert [answer.status_code for answer in desk(work)] == [403] * 6


@pytest.mark.parametrize(
    ("changes", "status", "says"),
    [
        ({"made": "2999-01-01T00:00:00+00:00"}, 400, "which is still to come: look at the clock"),
        ({"made": "tonight"}, 400, "write a time with its zone"),
        ({"clusters": {}}, 400, "clusters: dictionary should have at least 1 item"),
        (
            {"routes": {"daily": {"cluster": "gone", "why": "x"}}},
            422,
            "has not reported its queues to Archer",
        ),
    ],
)
def test_what_is_no_plan_is_refused_in_a_sentence(desk, changes, status, says):
    async def work(desk):
        return await desk.propose(data("monday", **changes)), await desk.list()

    answer, listed = desk(work)
    assert answer.status_code == status
    assert says in answer.json()["detail"]
    assert listed["plans"] == []


def test_unknown_plans_and_revisions_are_told(desk):
    async def work(desk):
        await desk.propose(data("monday"))
        return await desk.step("sunday/apply"), await desk.step("monday/apply", revision=999)

    unknown, other = desk(work)
    assert sentence(unknown)[:2] == (404, "no-such-plan")
    assert sentence(other)[2].startswith("Revision 999 is not in force, but 0 with no plan")


def test_amounts_that_stay_keep_their_row(desk):
    async def work(desk):
        queues = {ETL1: [amounts("24", "40Gi")], ETL2: [amounts("30", "60Gi")]}
        first = await desk.apply(plan_data(queues, id="monday", made=now()))
        second = await desk.apply(
            plan_data({**queues, ETL1: [amounts("25", "40Gi")]}, id="tuesday", made=now())
        )
        rows = await desk.pool.fetch("SELECT queue, revision, ended FROM allocation.amounts ORDER BY 1, 2")
        return first, second, [tuple(row) for row in rows]

    first, second, rows = desk(work)
    assert rows == [(ETL1, first, second), (ETL1, second, None), (ETL2, first, None)]


def test_a_cluster_is_behind_since_the_first_revision_that_it_lacks(desk):
    async def work(desk):
        async def behind():
            [row] = await desk.pool.fetch(AMOUNTS_BEHIND, [CLUSTER])
            return row["behind"]

        seen = [await behind()]
        first = await desk.apply(data("monday"))
        await desk.apply(data("tuesday", "22"))
        await desk.pool.run(
            lambda c: c.execute(
                "UPDATE allocation.revisions SET at = at - interval '1 hour' WHERE number = $1", first
            )
        )
        seen.append(await behind())
        await desk.pool.run(lambda c: plans.brought(c, CLUSTER, first))
        seen.append(await behind())
        last = await desk.pool.run(plans.in_force)
        await desk.pool.run(lambda c: plans.brought(c, CLUSTER, last.number))
        return [*seen, await behind()]

    nothing, both, one, none = desk(work)
    assert nothing is none is None
    assert both >= 3600 > one >= 0


WORKFLOWS = {
    "workflows": {
        "daily": {"tier": 1, "slo_hours": 4, "owner": "o@acme", "project": "acme.etl", "cluster": CLUSTER},
        "adhoc": {"tier": 3, "owner": "o@acme", "project": "ml.lab", "cluster": CLUSTER},
    },
    "why": "onboarding",
}


def test_workflows_have_a_history_of_tiers_and_slos(desk):
    async def work(desk):
        async def put(why, **changes):
            daily = {**WORKFLOWS["workflows"]["daily"], **changes}
            sent = {"workflows": {**WORKFLOWS["workflows"], "daily": daily}, "why": why}
            return (await desk.client.put("/v1/workflows", json=sent, headers=OPS)).json()["changed"]

        changed = [await put("onboarding"), await put("again"), await put("tighter", slo_hours=2, tier=2)]
        ended = await desk.client.delete("/v1/workflows/adhoc", headers=OPS)
        gone = await desk.client.delete("/v1/workflows/adhoc", headers=OPS)
        held = await desk.client.get("/v1/workflows", headers=OPS)
        history = await desk.client.get("/v1/workflows?history=true&workflow=daily", headers=OPS)
        return changed, ended.status_code, gone.status_code, held.json(), history.json()

    changed, ended, gone, held, history = desk(work)
    assert (changed, ended, gone) == ([2, 0, 1], 204, 404)
    assert [
        (workflow["workflow"], workflow["tier"], workflow["slo_hours"]) for workflow in held["workflows"]
    ] == [("daily", 2, 2)]
    assert [
        (workflow["tier"], workflow["why"], workflow["by"], workflow["ended_by"])
        for workflow in history["workflows"]
    ] == [
        (2, "tighter", "olga", None),
        (1, "onboarding", "olga", "olga"),
    ]


def test_unknown_workflows_are_proposed_until_somebody_says_what_they_are(desk):
    async def work(desk):
        async def propose(runs):
            measured = {name: {"runs": runs} for name in WORKFLOWS["workflows"]}
            sent = {**WORKFLOWS, "measured": measured, "why": "seen"}
            answer = await desk.client.post("/v1/workflows/proposals", json=sent, headers=OPS)
            return answer.json()["changed"]

        async def listed(query):
            answer = await desk.client.get(f"/v1/workflows?{query}", headers=OPS)
            return [
                (workflow["workflow"], (workflow["measured"] or {}).get("runs"))
                for workflow in answer.json()["workflows"]
            ]

        changed = [await propose(30), await propose(30), await propose(31)]
        proposed = await listed("proposed=true")
        daily = {"workflows": {"daily": WORKFLOWS["workflows"]["daily"]}, "why": "ours"}
        told = (await desk.client.put("/v1/workflows", json=daily, headers=OPS)).json()["changed"]
        changed.append(await propose(32))
        return changed, proposed, told, await listed("proposed=true"), await listed("proposed=false")

    changed, proposed, told, later, known = desk(work)
    assert changed == [2, 0, 2, 1]
    assert proposed == [("adhoc", 31), ("daily", 31)]
    assert told == 1
    assert (later, known) == ([("adhoc", 32)], [("daily", None)])


class Cluster:
    """The API of a cluster that says what queues it has, and has no keeper yet."""

    async def get(self, path):
        given = {"metadata": {"resourceVersion": "1"}, "data": settings().as_data()}
        return given if path == GIVEN else None


def test_what_a_cluster_said_goes_as_it_leaves_the_environment_and_is_said_again_if_it_is_there(desk):
    async def work(desk):
        async def clusters():
            return [cluster["cluster"] for cluster in (await desk.list())["clusters"]]

        courier = Courier(desk.pool, "spark-b", Cluster())
        await courier.go()
        seen = [await clusters()]
        # As a worker does that was deployed before there was another, where nobody else has it.
        await desk.pool.run(lambda c: plans.forget(c, "spark-b"))
        seen.append(await clusters())
        await courier.go()
        return [*seen, await clusters()]

    assert desk(work) == [["spark-a", "spark-b"], ["spark-a"], ["spark-a", "spark-b"]]


def test_plans_of_long_ago_go_and_one_that_is_kept_can_be_rolled_back_to(desk):
    def planned(name, cpu, other):
        queues = {ETL1: [amounts(cpu, "40Gi", 7)], ETL2: [amounts(other, "40Gi", 7)]}
        return plan_data(queues, id=name, made=now(), routes=DAILY)

    async def work(desk):
        async def age(days, *names):
            async def change(connection):
                for table, plan, at in (("plans", "id", "proposed"), ("revisions", "plan", "at")):
                    await connection.execute(
                        f"UPDATE allocation.{table} SET {at} = {at} - make_interval(days => $1) "
                        f"WHERE {plan} = ANY($2)",
                        days,
                        names,
                    )

            await desk.pool.run(change)

        async def keep():
            await Keeper(desk.pool, None, Metrics("k"), PlanDays(in_force=400, proposed=90)).keep()
            listed = await desk.list()
            return {plan["id"] for plan in listed["plans"]}, [
                revision["plan"] for revision in listed["revisions"]
            ]

        await desk.apply(planned("oldest", "20", "31"))
        await desk.apply(planned("older", "22", "32"))
        await desk.apply(planned("today", "24", "32"))
        for name in ("forgotten", "waits"):
            await desk.propose(data(name))
        seen = [await keep()]
        await age(500, "oldest", "older")
        await age(91, "forgotten")
        seen.append(await keep())
        gone = await desk.step("oldest/rollback")
        back = await desk.step("older/rollback")
        # Since yesterday: so it can be gone back to, and what is in force never goes.
        await age(399, "today", "older")
        seen.append(await keep())
        return seen, gone, back, await desk.in_force()

    seen, gone, back, in_force = desk(work)
    assert seen[0] == (
        {"oldest", "older", "today", "forgotten", "waits"},
        ["today", "older", "oldest", None],
    )
    assert seen[1] == ({"older", "today", "waits"}, ["today", "older"])
    assert sentence(gone)[:2] == (404, "no-such-plan")
    assert back.status_code == 200, back.text
    assert in_force == ("older", "22", {"daily": "oldest"})
    assert seen[2][1] == ["older", "today", "older"]


def test_revisions_stay_that_amounts_in_force_are_from(desk):
    async def work(desk):
        await desk.apply(data("first"))
        await desk.apply(data("second"))
        await desk.pool.run(
            lambda c: c.execute("UPDATE allocation.revisions SET at = at - interval '2 years'")
        )
        await Keeper(desk.pool, None, Metrics("k"), PlanDays(in_force=400, proposed=90)).keep()
        return [revision["plan"] for revision in (await desk.list())["revisions"]], await desk.in_force()

    assert desk(work) == (["second", "first"], ("second", "24", {"daily": "first"}))


def test_routes_that_ended_long_ago_go_and_those_in_force_stay(desk):
    async def work(desk):
        for plan in ("first", "second"):
            await desk.apply(data(plan))
        for cores in ("amd64", "arm64", "amd64"):
            route = {"workflow": "hourly", "architecture": cores, "why": "a test"}
            await desk.client.put("/v1/routes", json=route, headers=OPS)
        await desk.pool.run(
            lambda c: c.execute(
                "UPDATE routes SET since = since - interval '3 years', ended = ended - make_interval(days => "
                "CASE architecture WHEN 'arm64' THEN 401 ELSE 399 END)"
            )
        )
        await Keeper(desk.pool, None, Metrics("k"), PlanDays(in_force=400, proposed=90)).keep()
        answer = await desk.client.get("/v1/routes", params={"history": True}, headers=OPS)
        routes = [route for route in answer.json()["routes"] if route["workflow"] == "hourly"]
        return [(route["architecture"], route["ended"] is None) for route in routes], await desk.in_force()

    history, in_force = desk(work)
    assert history == [("amd64", True), ("amd64", False)]
    assert in_force == ("second", "24", {"daily": "first", "hourly": None})


def test_a_plan_that_is_dropped_as_it_takes_effect_is_said_to_be_gone(desk):
    async def work(desk):
        await desk.propose(data("monday"))
        sent = plan_files.read(data("monday"), "plan")
        step = plans.Step(kind="apply", plan=sent, after=0, request=uuid4(), by="olga", why="a test")
        await desk.pool.run(lambda c: c.execute("DELETE FROM allocation.plans"))
        with pytest.raises(plans.PlanRefused, match=r"no plan monday any more: make a new one"):
            await desk.pool.run(lambda c: plans.step(c, step))

    desk(work)
