#!/usr/bin/env python3
"""Looks for eight of the planted bugs of the parking garage with Hypothesis.

    pip install hypothesis
    python3 garage_hypothesis.py [SEEDS] [BUG…]

The rules, the model and the drawn values are those of `GarageMachine`, and of the check of the upcaster for bug 12. The
settings are Hypothesis's defaults except the number of cases, 200, and of steps, 50, which are the defaults of
`AnnalsTesting`. The database is off, so every seed begins without knowledge. Only the first five seeds shrink their
cases. The phase that explains a case is off, because its cases would count as shrinking.

The system is a few dictionaries, so a case costs less than a case of `plantedBugs`, which has a store and its lists.
"""
import json, sys, time, unicodedata

from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

BUGS = [1, 3, 4, 6, 11, 12, 18, 31]
BUG = 0
PROGRAMS = []  # The steps of every case.
FAILED = []  # The numbers of the cases that failed.


class Refused(Exception):
    pass


def require(condition, name):
    if not condition:
        raise Refused(name)


def fee(minutes):
    is_free = minutes < 15 if BUG == 1 else minutes <= 15
    return 0 if is_free else 150 * ((minutes + 29) // 30)


def expected_fee(minutes):
    return 0 if minutes <= 15 else sum(150 for _ in range(0, minutes, 30))


class Garage:
    """The system with the bugs: the state of `Garage`, the rows of `Cars`, and the numbers of the signs."""

    def __init__(self):
        self.levels, self.stays, self.reservations = {}, {}, {}
        self.open_count, self.used, self.cars, self.signs = {}, set(), {}, {}

    def free_now(self, level):
        require(level in self.levels, "noLevel")
        held = sum(1 for plate, name in self.reservations.values() if name == level)
        return self.levels[level] - held - sum(1 for name, _ in self.stays.values() if name == level)

    def car(self, plate):
        return self.cars.setdefault(plate, dict(level="~", since=0, reservations=0, visits=0, minutes=0, cents=0))

    def open(self, level, spots):
        require(level not in self.levels, "exists")
        require(spots > 0, "noSpots")
        self.levels[level] = spots
        self.signs = {}

    def resize(self, level, more):
        require(self.free_now(level) + more >= 0, "noSpots")
        self.levels[level] += more
        self.signs = {}

    def reserve(self, number, plate, level):
        free = self.free_now(level)
        # Without the id in the boundary, the decision knows only the ids of this level and of this car.
        used = {n for n, p, l in self.used if BUG != 18 or l == level or p == plate}
        require(number not in used, "usedID")
        require(self.open_count.get(plate, 0) < 2, "tooMany")
        require(free > 0, "full")
        self.used.add((number, plate, level))
        self.reservations[number] = (plate, level)
        self.open_count[plate] = self.open_count.get(plate, 0) + 1
        self.car(plate)["reservations"] += 1
        self.signs = {}

    def cancel(self, number, level):
        require(level in self.levels, "noLevel")
        require(self.reservations.get(number, (None, None))[1] == level, "noReservation")
        plate, _ = self.reservations.pop(number)
        if BUG != 4:
            self.open_count[plate] -= 1
        self.car(plate)["reservations"] -= 1
        if BUG != 11:
            self.signs = {}

    def enter(self, plate, level, at):
        free = self.free_now(level)
        require(plate not in self.stays, "parkedAlready")
        require(free > 0 or BUG == 3 and free == 0, "full")
        self.stays[plate] = (level, at)
        self.car(plate).update(level=level, since=at)
        self.signs = {}

    def leave(self, plate, level, at):
        require(level in self.levels, "noLevel")
        require(self.stays.get(plate, (None, 0))[0] == level, "notHere")
        since = self.stays[plate][1]
        require(at >= since, "timeGoesBack")
        del self.stays[plate]
        car = self.car(plate)
        if BUG != 6:
            car["level"] = "~"
        car["visits"] += 1
        car["minutes"] += at - since
        car["cents"] += 0 if car["visits"] % 20 == 0 else fee(at - since)
        self.signs = {}

    def free(self, level):
        if level not in self.levels:
            return None
        if level not in self.signs:
            self.signs[level] = self.free_now(level)
        return self.signs[level]

    def longest(self):
        parked = [(car["since"], plate) for plate, car in self.cars.items() if car["level"] != "~"]
        if not parked:
            return None
        since = min(parked)[0]
        plates = [plate for time, plate in parked if time == since]
        return max(plates) if BUG == 31 else min(plates)


class Lot:
    """The model: plain rules without state that is derived from other state."""

    def __init__(self):
        self.levels, self.cars, self.reservations, self.used = {}, {}, {}, set()

    def free(self, level):
        if level not in self.levels:
            return None
        held = sum(1 for _, name in self.reservations.values() if name == level)
        return self.levels[level] - held - sum(1 for car in self.cars.values() if car["level"] == level)

    def car(self, plate):
        return self.cars.setdefault(plate, dict(level=None, since=0, visits=0, minutes=0, cents=0))

    def of(self, plate):
        return sum(1 for name, _ in self.reservations.values() if name == plate)

    def open(self, level, spots):
        require(level not in self.levels, "exists")
        require(spots > 0, "noSpots")
        self.levels[level] = spots

    def resize(self, level, more):
        require(level in self.levels, "noLevel")
        require(self.free(level) + more >= 0, "noSpots")
        self.levels[level] += more

    def reserve(self, number, plate, level):
        require(level in self.levels, "noLevel")
        require(number not in self.used, "usedID")
        require(self.of(plate) < 2, "tooMany")
        require(self.free(level) > 0, "full")
        self.used.add(number)
        self.reservations[number] = (plate, level)
        self.car(plate)

    def cancel(self, number, level):
        require(level in self.levels, "noLevel")
        require(self.reservations.get(number, (None, None))[1] == level, "noReservation")
        del self.reservations[number]

    def enter(self, plate, level, at):
        require(level in self.levels, "noLevel")
        require(self.cars.get(plate, {}).get("level") is None, "parkedAlready")
        require(self.free(level) > 0, "full")
        self.car(plate).update(level=level, since=at)

    def leave(self, plate, level, at):
        require(level in self.levels, "noLevel")
        require(plate in self.cars and self.cars[plate]["level"] == level, "notHere")
        car = self.cars[plate]
        require(at >= car["since"], "timeGoesBack")
        minutes = at - car["since"]
        car["level"] = None
        car["visits"] += 1
        car["minutes"] += minutes
        car["cents"] += 0 if car["visits"] % 20 == 0 else expected_fee(minutes)

    def longest(self):
        parked = [(car["since"], plate) for plate, car in self.cars.items() if car["level"]]
        return min(parked)[1] if parked else None


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except Refused as refusal:
        return str(refusal)


LEVELS = st.sampled_from(["p1", "p2"])
# Both spellings of a letter with an accent.
PLATES = st.sampled_from(["a", "b", "\u00e9", "e\u0301"])
NUMBERS = st.sampled_from(["r1", "r2", "r3", "r4", "r5", "r6"])


class GarageMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.lot, self.garage = Lot(), Garage()
        PROGRAMS.append([])

    def both(self, name, *arguments):
        PROGRAMS[-1].append((name, *arguments))
        expected = outcome(getattr(self.lot, name), *arguments)
        found = outcome(getattr(self.garage, name), *arguments)
        self.compare(found, expected, name)

    def compare(self, found, expected, label):
        if found != expected:
            FAILED.append(len(PROGRAMS))
            raise AssertionError(f"{label}: {found!r} instead of {expected!r}")

    @rule(level=LEVELS, spots=st.integers(-1, 4))
    def open(self, level, spots):
        self.both("open", level, spots)

    @rule(level=LEVELS, more=st.integers(-2, 3))
    def resize(self, level, more):
        self.both("resize", level, more)

    @rule(number=NUMBERS, plate=PLATES, level=LEVELS)
    def reserve(self, number, plate, level):
        self.both("reserve", number, unicodedata.normalize("NFC", plate), level)

    @rule(data=st.data())
    def cancel(self, data):
        current = sorted((number, level) for number, (_, level) in self.lot.reservations.items())
        drawn = st.tuples(NUMBERS, LEVELS)
        self.both("cancel", *data.draw(st.one_of(st.sampled_from(current), drawn) if current else drawn))

    @rule(plate=PLATES, level=LEVELS, at=st.integers(0, 9))
    def enter(self, plate, level, at):
        self.both("enter", unicodedata.normalize("NFC", plate), level, at)

    @rule(data=st.data())
    def leave(self, data):
        parked = sorted((p, car["level"], car["since"]) for p, car in self.lot.cars.items() if car["level"])
        drawn = st.tuples(PLATES, LEVELS, st.integers(0, 99))
        if parked:
            stays = st.tuples(st.sampled_from(parked), st.integers(-1, 199))
            drawn = st.one_of(stays.map(lambda it: (it[0][0], it[0][1], it[0][2] + it[1])), drawn)
        plate, level, at = data.draw(drawn)
        self.both("leave", unicodedata.normalize("NFC", plate), level, at)

    @rule(level=LEVELS)
    def free(self, level):
        self.both("free", level)

    @rule()
    def longest(self):
        self.both("longest")

    @invariant()
    def agrees(self):
        free = {level: self.garage.free_now(level) for level in self.garage.levels}
        self.compare(free, {level: self.lot.free(level) for level in self.lot.levels}, "free spots")
        self.compare(sorted(self.garage.cars), sorted(self.lot.cars), "plates")
        for plate, expected in self.lot.cars.items():
            car = self.garage.cars[plate]
            self.compare(car["level"], expected["level"] or "~", "level")
            self.compare(car["reservations"], self.lot.of(plate), "reservations")
            for field in ("visits", "minutes", "cents"):
                self.compare(car[field], expected[field], field)


def check_upcaster(chosen, number):
    @chosen
    @seed(number)
    @given(st.integers(0, 100_000))
    def reads(cents):
        PROGRAMS.append([cents])
        euros = cents / 100 * 100
        if (int(euros) if BUG == 12 else round(euros)) != cents:
            FAILED.append(len(PROGRAMS))
            raise AssertionError(cents)

    reads()


def run(number, shrinks):
    PROGRAMS.clear()
    FAILED.clear()
    phases = (Phase.generate, Phase.shrink) if shrinks else (Phase.generate,)
    chosen = settings(
        max_examples=200, stateful_step_count=50, database=None, deadline=None, phases=phases,
        suppress_health_check=list(HealthCheck))
    try:
        if BUG == 12:
            check_upcaster(chosen, number)
        else:
            run_state_machine_as_test(seed(number)(GarageMachine), settings=chosen)
    except AssertionError:
        # The last case is the smallest case.
        return FAILED[0], len(PROGRAMS) - FAILED[0], tuple(PROGRAMS[-1])
    return None


def main():
    global BUG
    arguments = [int(word) for word in sys.argv[1:]]
    seeds = arguments[0] if arguments else 20
    sys.stderr = open("/dev/null", "w")
    print("| bug | seeds | first example | tries to shrink | length | forms | seconds |\n|---|---|---|---|---|---|---|")
    for BUG in arguments[1:] or BUGS:
        start = time.process_time()
        results = [(run(number, number <= 5), number) for number in range(1, seeds + 1)]
        found = [result for result, _ in results if result]
        shrunk = [result for result, number in results if result and number <= 5]
        mean = lambda values: f"{sum(values) / len(values):.0f}" if values else "–"
        lengths = sorted({len(form) for _, _, form in shrunk})
        length = "–".join(str(it) for it in dict.fromkeys([lengths[0], lengths[-1]])) if lengths else "–"
        print(
            f"| {BUG} | {len(found)} of {seeds} | {mean([it[0] for it in found])} | {mean([it[1] for it in shrunk])}"
            f" | {length} | {len({form for _, _, form in shrunk})} | {time.process_time() - start:.0f} |", flush=True)


main()
