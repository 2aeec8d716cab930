"""Reads a log as Docs/FileFormat.md describes it, and prints its events as JSON, an object a line."""
import json
import sqlite3
import sys
import uuid
import zlib

path = sys.argv[1]
with open(path, "rb") as file:
    header = file.read(100)
assert header[:16] == b"SQLite format 3\0", "not a database"
assert header[68:72] == b"Anls", "not a log"
log = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
assert log.execute("PRAGMA user_version").fetchone()[0] == 8, "another format"
kept_apart_after = int(log.execute("SELECT value FROM meta WHERE name = 'personal'").fetchone()[0])


def crc(texts):
    return zlib.crc32(b"".join(text + b"\x1f" for text in texts))


def uuid_text(id):
    """The text of an id, which is stored as the bytes of a UUID or as a text."""
    return str(uuid.UUID(bytes=id)) if isinstance(id, bytes) else id


def joined(payload, position):
    """The payload with the values of its personal fields, which lie beside it, by place."""
    objects = {}
    for place, subject, text, checksum in log.execute(
        "SELECT place, subject, object, checksum FROM personal WHERE position = ?", [position]
    ):
        texts = [str(position).encode(), str(place).encode(), subject.encode(), b"\0" if text is None else text.encode()]
        assert crc(texts) == checksum, f"event {position}: the checksum of a personal field"
        objects[place] = (subject, text)
    place = -1

    def walk(value):
        nonlocal place
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$personal" not in value:
            return {name: walk(item) for name, item in value.items()}
        place += 1
        if place not in objects:
            erased = "SELECT 1 FROM erasure WHERE subject = ? AND position >= ?"
            assert log.execute(erased, [value["$personal"], position]).fetchone(), f"event {position}: a field is missing"
            return value
        subject, text = objects.pop(place)
        assert subject == value["$personal"], f"event {position}: another subject"
        return value if text is None else json.loads(text)

    payload = walk(payload)
    assert not objects, f"event {position}: a field too many"
    return payload


events = log.execute(
    """
    SELECT position, "transaction", stream.name, version, type.name, schema, source.name, id, time, tags, payload,
      coalesce(shared_metadata.text, metadata), checksum
    FROM event JOIN stream ON stream.key = stream JOIN type ON type.key = type JOIN source ON source.key = source
      LEFT JOIN shared_metadata ON typeof(metadata) = 'integer' AND shared_metadata.key = metadata
    ORDER BY position
    """
)
horizon = log.execute("SELECT position FROM compaction ORDER BY number DESC").fetchone()
horizon = horizon[0] if horizon else 0
gaps = dict(log.execute("SELECT first, last FROM gap"))
ends = dict(log.execute("SELECT name, version FROM cut_stream JOIN stream ON stream.key = stream"))
names = ["position", "transaction", "stream", "version", "type", "schema", "source", "id", "time"]
versions = {}
count = 0
for row in events:
    count += 1
    marked = "SELECT stretch FROM id_mark JOIN source ON source.key = source WHERE name = ? AND id <= ? ORDER BY id DESC"
    if isinstance(row[7], bytes):
        stretch = log.execute(marked, [row[6], row[7]]).fetchone()
        assert stretch == (row[0] // 64,), f"event {count}: not found by its id"
    row = row[:7] + (uuid_text(row[7]),) + row[8:]
    *fields, checksum = row
    texts = [b"\0" if field is None else str(field).encode() for field in fields]
    assert crc(texts) == checksum, f"event {count}: the checksum"
    event = dict(zip(names, row))
    count = gaps.get(count, count - 1) + 1
    assert event["position"] == count, f"event {count}: a hole"
    expected = versions.get(event["stream"], 0) + 1
    if count > horizon:
        expected = max(expected, ends.get(event["stream"], 0) + 1)
        assert event["version"] == expected, f"event {count}: a hole in its stream"
    assert event["version"] >= expected, f"event {count}: a hole in its stream"
    versions[event["stream"]] = event["version"]
    event["tags"] = json.loads(row[9])
    event["payload"] = None if row[10] is None else json.loads(row[10])
    if count > kept_apart_after:
        event["payload"] = joined(event["payload"], count)
    event["metadata"] = json.loads(row[11])
    kept = log.execute("SELECT tag FROM event_tag WHERE position = ? ORDER BY tag", [count]).fetchall()
    assert [tag for (tag,) in kept] == event["tags"], f"event {count}: its tags"
    noted = "SELECT 1 FROM type_stretch JOIN type ON type.key = type WHERE name = ? AND stretch = ?"
    assert log.execute(noted, [event["type"], count // 64]).fetchone(), f"event {count}: not found by its type"
    print(json.dumps(event, sort_keys=True))
count = gaps.get(count + 1, count)
last = log.execute("SELECT seq FROM sqlite_sequence WHERE name = 'event'").fetchone()
assert (last[0] if last else 0) == count, "events are missing at the end"
for command, position, number, transaction, versions in log.execute(
    'SELECT id, position, count, "transaction", versions FROM command ORDER BY id'
):
    print(json.dumps({"command": command, "position": position, "count": number, "versions": json.loads(versions)}))
print(json.dumps({"source": log.execute("SELECT value FROM meta WHERE name = 'source'").fetchone()[0]}))
