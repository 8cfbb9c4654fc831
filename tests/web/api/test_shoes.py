"""The register of real shoes over HTTP, and its page."""

from punto.table.records.positions import Position
from tests.web.serving import Server
from tests.web.wire import problem

NEW = {"shoe": "S 1/a", "decks": 8, "maker": "Angel & Co", "batch": "B<1>"}


def test_the_life_of_a_shoe_from_received_to_destroyed(standing: Server) -> None:
    sue, max_ = standing.by(Position.PIT_SUPERVISOR), standing.by(Position.PIT_MANAGER)
    problem(standing.client().get("/api/shoes"), 401, "not_signed_in")
    problem(sue.get("/api/shoes", params={"shoe": "none"}), 404, "unknown_shoe")
    made = sue.post("/api/shoes", json=NEW)
    assert made.status_code == 201
    assert made.json()["problem"] == "not_inspected"
    problem(sue.post("/api/shoes", json=NEW), 400, "bad_shoe")
    for step, left in (("inspected", "not_shuffled"), ("shuffled", None)):
        assert sue.post("/api/shoes/steps", json={"shoe": NEW["shoe"], "step": step}).json()["problem"] == left
    page = standing.by(Position.DEALER).get("/pit/shoes").text
    assert "Angel &amp; Co" in page
    assert "B&lt;1&gt;" in page
    assert "fit for use" in page
    assert "<form" not in page.split("<main")[1].split("</main>")[0]  # a dealer reads only
    problem(sue.post("/api/shoes/steps", json={"shoe": NEW["shoe"], "step": "locked"}), 409, "reason_needed")
    assert (
        sue.post("/api/shoes/steps", json={"shoe": NEW["shoe"], "step": "locked", "note": "evidence"}).json()["problem"]
        == "locked"
    )
    problem(
        sue.post("/api/shoes/steps", json={"shoe": NEW["shoe"], "step": "released", "note": "done"}),
        403,
        "not_authorised",
    )
    page = sue.get("/pit/shoes?lang=zh").text
    assert "它已封存" in page
    assert 'value="locked"' not in page
    assert 'value="destroyed"' not in page
    assert (
        max_.post("/api/shoes/steps", json={"shoe": NEW["shoe"], "step": "destroyed", "note": "shredded"}).status_code
        == 201
    )
    (life,) = max_.get("/api/shoes").json()["shoes"]
    assert [taken["step"] for taken in life["steps"]] == ["received", "inspected", "shuffled", "locked", "destroyed"]
    assert (life["table"], life["problem"]) == (None, "destroyed")
    assert "/api/shoes/steps" not in max_.get("/pit/shoes").text
