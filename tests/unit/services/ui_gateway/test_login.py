"""Who gets in, and for how long: a real gateway before a real issuer."""

import json

import pytest
from joserfc import jwt

from services.ui_gateway.login_secret import LoginSecret
from services.ui_gateway.sessions import BROWSER, SESSION
from tests.support.cookie_browser import CookieBrowser
from tests.support.login_scenes import (
    ADA,
    CLIENT_SECRET,
    JOB,
    KEY,
    LOGIN,
    OTHER_JOB,
    OTHER_KEY,
    YUNIKORN,
    played,
    shown,
)
from tests.support.oidc_issuer import KEYS
from tests.support.ui_pages import DOMAIN


def test_a_page_is_shown_after_one_login_and_so_are_those_of_other_hosts():
    async def scene(place):
        first = await place.browser.open(f"{JOB}/jobs/?id=1&a=%2F")
        second = await place.browser.open(f"https://other.data.{DOMAIN}/")
        return first, second, place.issuer.asked

    first, second, asked = played(scene)

    assert shown(first) == "/jobs/?id=1&a=%2F"
    assert second[0] == 404
    assert b"Namespace data has no job of that name" in second[2]
    assert asked.count("/authorize") == 1


def test_cookies_are_of_one_host_with_tls_and_for_no_script():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        return place.browser

    browser = played(scene)

    assert {SESSION, BROWSER} == browser.cookies[f"etl.data.{DOMAIN}"].keys()
    for text in browser.set_cookies:
        assert text.startswith("__Host-")
        assert "Domain" not in text
        assert {"HttpOnly", "Secure", "SameSite=Lax", "Path=/"} <= set(text.split("; "))


def test_what_is_no_page_is_told_to_log_in_and_led_nowhere():
    async def scene(place):
        return await place.uis.ask(f"etl.data.{DOMAIN}", "/api/v1/applications", Accept="application/json")

    status, headers, _ = played(scene)

    assert status == 401
    assert "Location" not in headers


def test_nobody_learns_without_a_login_what_there_is():
    async def scene(place):
        hosts = (
            f"etl.data.{DOMAIN}",
            f"none.data.{DOMAIN}",
            f"etl.kube-system.{DOMAIN}",
            f"yunikorn.{DOMAIN}",
        )
        return [await place.uis.ask(host) for host in hosts], len(place.uis.asked)

    answers, asked = played(scene)

    assert {(status, body) for status, _, body in answers} == {
        (401, b"log in first: open this page in a browser\n")
    }
    assert asked == 0


def test_viewers_of_a_namespace_see_its_jobs_and_nobody_else_does():
    async def scene(place):
        return await place.browser.open(f"{OTHER_JOB}/")

    assert shown(played(scene, {**ADA, "groups": ["scientists"]})) == "/"
    status, _, body = played(scene)
    assert (status, body) == (403, b"jobs of science are not shown to you\n")


def test_a_job_that_is_not_shown_gets_the_answer_of_one_that_does_not_exist():
    async def scene(place):
        another = await place.browser.open(f"{OTHER_JOB}/")
        away = await place.browser.open(f"https://none.science.{DOMAIN}/")
        nowhere = await place.browser.open(f"https://etl.nowhere.{DOMAIN}/")
        return another, away, nowhere

    another, away, nowhere = played(scene)

    assert (another[0], another[2]) == (away[0], away[2])
    assert (nowhere[0], nowhere[2]) == (403, another[2].replace(b"science", b"nowhere"))


@pytest.mark.parametrize(("groups", "status"), [(["platform"], 200), (["analysts"], 403), (None, 403)])
def test_pages_of_the_platform_are_for_operators(groups, status):
    async def scene(place):
        return await place.browser.open(f"{YUNIKORN}/ws/v1/queues")

    assert played(scene, {**ADA, "groups": groups})[0] == status


def test_operators_see_every_job():
    async def scene(place):
        return await place.browser.open(f"{OTHER_JOB}/")

    assert shown(played(scene, {**ADA, "groups": ["platform"]})) == "/"


def test_one_group_may_be_a_text():
    async def scene(place):
        return await place.browser.open(f"{OTHER_JOB}/")

    assert shown(played(scene, {**ADA, "groups": "scientists"})) == "/"


def test_a_driver_sees_nothing_of_the_login():
    async def scene(place):
        return await place.browser.open(f"{JOB}/")

    body = json.loads(played(scene)[2])

    assert "cookie" not in {name.lower() for name in body["headers"]}


def test_own_paths_never_reach_a_driver():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        return [
            await place.browser.get(f"{JOB}{path}") for path in ("/.moka/x", "/%2emoka/x", "/.moka/session")
        ]

    assert [answer[0] for answer in played(scene)] == [404, 404, 400]


def test_after_a_while_a_page_asks_the_login_again_without_a_word_to_the_user():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        place.now += 901
        data = await place.browser.get(f"{JOB}/api", Accept="application/json")
        return data, await place.browser.open(f"{JOB}/stages/"), place.issuer.asked

    data, page, asked = played(scene)

    assert data[0] == 401
    assert shown(page) == "/stages/"
    assert asked.count("/authorize") == 1


def test_a_login_ends_after_its_hours():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        place.now += 8 * 3600 + 1
        await place.browser.open(f"{JOB}/")
        return place.issuer.asked

    assert played(scene).count("/authorize") == 2


def test_a_page_is_not_shown_for_longer_than_the_login():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        place.now += 8 * 3600 - 60
        await place.browser.open(f"{JOB}/")
        place.now += 61
        return await place.browser.get(f"{JOB}/")

    assert played(scene)[0] == 302


def test_who_is_logged_in_sees_pages_while_the_issuer_is_away_and_nobody_else_does():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        await place.issuer.go_away()
        known = await place.browser.open(f"{OTHER_JOB}/")
        page = await place.browser.open(f"{JOB}/")
        place.now += 9 * 3600
        return known, page, await place.browser.open(f"{JOB}/")

    known, page, late = played(scene)

    assert known[0] == 403
    assert shown(page) == "/"
    assert late[0] == 503


def test_new_keys_of_the_issuer_are_taken_up_and_not_asked_for_at_every_token():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        place.now += 9 * 3600
        place.issuer.published = [KEYS[1]]
        place.issuer.signing = lambda claims: jwt.encode({"alg": "RS256", "kid": "key-2"}, claims, KEYS[1])
        rotated = await place.browser.open(f"{JOB}/")
        place.issuer.signing = lambda claims: jwt.encode({"alg": "RS256", "kid": "key-3"}, claims, KEYS[1])
        asked = place.issuer.asked.count("/jwks")
        for _ in range(5):
            await CookieBrowser(place.uis).open(f"{JOB}/")
        return rotated, place.issuer.asked.count("/jwks") - asked

    rotated, asked = played(scene)

    assert shown(rotated) == "/"
    assert asked <= 1


def test_a_logout_ends_the_login_and_soon_every_page():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        out = await place.browser.open(f"{JOB}/.moka/logout")
        here = await place.browser.get(f"{JOB}/")
        asked = place.issuer.asked.count("/authorize")
        await place.browser.open(f"{JOB}/")
        return out, here, place.issuer.asked.count("/authorize") - asked, place.issuer.url

    out, here, asked, url = played(scene)

    assert b"You are logged out" in out[2]
    assert f"{url}/end?client_id=".encode() in out[2]
    assert here[0] == 302
    assert asked == 1


def test_the_login_says_who_one_is_and_which_groups_count():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        return await place.browser.open(f"{LOGIN}/")

    body = played(scene, {"sub": "1", "name": "<b>Ada", "groups": ["scientists", "choir"]})[2]

    assert b"&lt;b&gt;Ada is logged in" in body
    assert b"Groups that count here: scientists." in body


def test_sessions_outlive_a_new_key_and_end_when_theirs_is_gone():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        place.secret.value = LoginSecret(CLIENT_SECRET, (OTHER_KEY, KEY), place.now)
        kept = await place.browser.get(f"{JOB}/")
        place.secret.value = LoginSecret(CLIENT_SECRET, (OTHER_KEY,), place.now)
        return kept, await place.browser.get(f"{JOB}/")

    kept, gone = played(scene)

    assert (kept[0], gone[0]) == (200, 302)


def test_a_replica_that_has_not_read_the_new_key_yet_opens_what_the_other_seals():
    async def scene(place):
        place.secret.value = LoginSecret(CLIENT_SECRET, (OTHER_KEY, KEY), place.now)
        await place.browser.open(f"{JOB}/")
        place.secret.value = LoginSecret(CLIENT_SECRET, (KEY,))
        return await place.browser.get(f"{JOB}/")

    assert played(scene)[0] == 200


def test_without_its_secret_nothing_is_shown():
    async def scene(place):
        place.secret.value = None
        pages = [await place.browser.get(url) for url in (f"{JOB}/", f"{LOGIN}/", f"{LOGIN}/callback?code=x")]
        return pages, await place.uis.ask("10.0.0.1:8080", "/healthz")

    pages, health = played(scene)

    assert [(page[0], page[1]["Retry-After"]) for page in pages] == [(503, "5")] * 3
    assert health[0] == 200


def test_many_tabs_log_in_at_once():
    async def scene(place):
        callbacks = [await place.browser.open(f"{JOB}/{tab}", until=f"{LOGIN}/callback") for tab in range(3)]
        return [shown(await place.browser.open(callback)) for callback in callbacks]

    assert played(scene) == ["/0", "/1", "/2"]


def test_a_path_that_is_very_long_leads_to_the_first_page_after_a_login():
    async def scene(place):
        return await place.browser.open(f"{JOB}/?{'a' * 2000}")

    assert shown(played(scene)) == "/"


def test_logins_are_counted_by_how_they_ended():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        await place.browser.get(f"{LOGIN}/callback?code=x")
        return await place.uis.ask("127.0.0.1", "/metrics", **{"Accept-Encoding": "identity"})

    text = played(scene)[2].decode()

    assert 'moka_ui_gateway_logins_total{outcome="ok"} 1.0' in text
    assert 'moka_ui_gateway_logins_total{outcome="refused"} 1.0' in text
    assert 'moka_ui_gateway_requests_total{page="login",status="3xx"}' in text
