"""What a demonstration shows, a function a step."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import archer_api
from commands.archer_api import ArcherProblem
from demo import fleet, history
from demo.stage import NotShown, Stage, guarantees
from moka.allocation.offer import Offer
from moka.project import CODE
from moka.usage.records import APPLICATIONS, DAY, PROFILES
from planning import parts
from planning.example_history import Habit
from stacks.offers import offer
from stacks.settings import Environment, load

ENVIRONMENT = "local"
PART = 99_999_999
"""Number of the parts of the history: far from those of the recorder, which counts from 1, so that what it
has recorded stays."""

JOB = "examples/jobs/pi.yaml"
NIGHT = fleet.TIMES[1][2]
"""An hour in which tier 1 works."""

COPIES = 8
"""Of files at a time."""

WHY = "make demo"


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """What is played.

    machines: types of machines of a cluster's executors. days: before today.
    """

    settings: Environment
    offers: Sequence[Offer]
    habits: Sequence[Habit]
    machines: Mapping[str, Sequence[str]]
    days: Sequence[date]


def play(stage: Stage, count: int) -> None:
    """All of it, with so many workflows. Raises NotShown."""
    played = _fleet(count)
    stage.step(f"1 of 6: thirty days of {count:,} workflows, simulated")
    _history(stage, played)
    stage.step("2 of 6: Archer is told of the workflows")
    workflows = _workflows(stage, played)
    stage.step("3 of 6: a plan is made of what was used")
    _withdraw(stage)
    plan = _plan(stage)
    stage.step("4 of 6: the plan takes effect")
    _apply(stage, plan)
    stage.step("5 of 6: a job runs in a queue of the plan")
    stage.run("archer", "submit", JOB, "--wait")
    stage.step("6 of 6: the report of yesterday")
    page = _path(stage.folder / "usage.html")
    stage.run("moka", "usage", "report", ENVIRONMENT, "--workflows", workflows, "--page", page)
    stage.step("Done")
    _next_steps(stage)


def _fleet(count: int) -> Fleet:
    settings = load(ENVIRONMENT)
    offers = [offer(settings, name) for name in settings.clusters]
    return Fleet(
        settings=settings,
        offers=offers,
        habits=fleet.habits(offers, count),
        machines={
            name: [group.instance_types[0] for group in cluster.groups_of("executor")]
            for name, cluster in settings.clusters.items()
        },
        days=history.window(datetime.now(UTC).date()),
    )


def _history(stage: Stage, played: Fleet) -> None:
    """Have the bucket have it, laid out as the recorder does."""
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    settings, days = played.settings, played.days
    with TemporaryDirectory(prefix="demo-") as name:
        folder, files = Path(name), list[Path]()
        for cluster in played.offers:
            machines = played.machines[cluster.name]
            outcomes = history.outcomes(cluster, played.habits, days)
            stage.say(
                f"{days[0]} to {days[-1]} on {cluster.name}: {len(outcomes):,} runs, which get their pods as "
                "they would with the queues of the settings."
            )
            until = history.midnight(days[-1]) + DAY
            in_use = history.intervals(cluster.name, outcomes, machines, until)
            runs = history.applications(cluster.name, outcomes, machines)
            files += parts.write(folder, PROFILES, in_use, PART)
            files += parts.write(folder, APPLICATIONS, runs, PART)
        try:
            home = settings.foundations[settings.home_foundation]
            s3 = boto3.client("s3", region_name=home.region)
            with ThreadPoolExecutor(COPIES) as pool:
                list(
                    pool.map(
                        lambda file: s3.upload_file(
                            str(file), settings.usage_bucket, file.relative_to(folder).as_posix()
                        ),
                        files,
                    )
                )
        except (BotoCoreError, ClientError) as error:
            raise NotShown(
                f"The history cannot be written to s3://{settings.usage_bucket} ({str(error).rstrip('.')}): "
                "run `make up`, then this again."
            ) from None
    stage.say(f"{len(files)} parts are in s3://{settings.usage_bucket}/usage/v1/, where the recorder writes.")


def _workflows(stage: Stage, played: Fleet) -> Path:
    """Have Archer know them, and a file, which has its name."""
    workflows = fleet.workflows(played.habits)
    file = stage.folder / "workflows.yaml"
    file.write_text(fleet.document(workflows))
    try:
        with archer_api.client(stage.variables) as archer:
            change_count = archer.write_workflows(
                {name: workflow.model_dump() for name, workflow in workflows.items()}, WHY
            )
    except ArcherProblem as problem:
        raise NotShown(f"Archer did not take the workflows: {problem}") from None
    stage.say(
        f"PUT /v1/workflows with {_path(file)}: {change_count:,} of {len(workflows):,} were not known so."
    )
    example = next(iter(workflows))
    workflow = workflows[example]
    stage.say(
        f"Such as {example}: tier {workflow.tier} of {workflow.project}, done within "
        f"{workflow.slo_hours:g} h."
    )
    return _path(file)


def _withdraw(stage: Stage) -> None:
    """Have no plan of before in force, so that there is something to see."""
    try:
        with archer_api.client(stage.variables) as archer:
            before = archer.list_plans(limit=1)["in_force"].get("plan")
    except ArcherProblem as problem:
        raise NotShown(f"Archer does not say which plan is in force: {problem}") from None
    if before:
        stage.say(f"{before} is in force from before, and is taken back first.")
        stage.run("moka", "plan", "withdraw", "--why", WHY)
        stage.wait("The scheduler still has the plan", "moka", "queues", ENVIRONMENT, "--in-force")


def _plan(stage: Stage) -> str:
    """Have one made, and shown; its id."""
    file, drawing = (_path(stage.folder / name) for name in ("plan.json", "plan.svg"))
    stage.run("moka", "allocate", ENVIRONMENT, "--propose", "--output", file)
    stage.run("moka", "plan", "show", ENVIRONMENT, file)
    stage.run("moka", "plan", "show", ENVIRONMENT, file, "--svg", drawing)
    return str(json.loads((stage.folder / "plan.json").read_text())["id"])


def _apply(stage: Stage, plan: str) -> None:
    """Have it in force in the schedulers."""
    before = {name: guarantees(url) for name, url in stage.schedulers().items()}
    stage.run("moka", "plan", "apply", plan, "--why", WHY)
    stage.wait("The scheduler has not got the plan", "moka", "queues", ENVIRONMENT, "--in-force")
    now = datetime.now(UTC)
    for name, url in stage.schedulers().items():
        stage.say(f"What YuniKorn of {name} guarantees, from {now.hour}:00 to {now.hour + 1}:00 UTC:")
        for path, guaranteed in sorted(guarantees(url).items()):
            stage.say(f"  {path.partition('.')[2]}")
            stage.say(f"    before  {before[name].get(path, 'no such queue')}")
            stage.say(f"    now     {guaranteed}")
    stage.say("It is another amount each hour; while tier 1 works by night:")
    night = f"{now.date() + timedelta(days=1)}T0{NIGHT}:00"
    stage.run("moka", "queues", ENVIRONMENT, "--plan", plan, "--at", night)


def _next_steps(stage: Stage) -> None:
    page, drawing = (_path(stage.folder / name) for name in ("usage.html", "plan.svg"))
    stage.say(f"Look at   {page}, the report with pictures, and {drawing}, the plan, in a browser.")
    stage.say("Look at   docs/demo.md: what this was, and what is to be tried by hand.")
    stage.say("Take back `. .local/env`, then `.local/venv/bin/moka plan withdraw --why seen`.")
    stage.say("End       `make down`, which ends everything; the history goes with it.")


def _path(file: Path) -> Path:
    """As one types it in the checkout, where commands run."""
    return file.relative_to(CODE) if file.is_relative_to(CODE) else file
