"""How files are written: whole, beside the old one, with its permissions, and for nobody else."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

import silva
from silva.cli.main import run
from silva.files import replacing, write_bytes

LOANS = Path(__file__).resolve().parents[1] / "examples" / "loans.csv"
ROWS = pd.read_csv(LOANS)
MODEL = silva.TreeClassifier(max_depth=2).fit(ROWS.drop(columns="repaid"), ROWS["repaid"])


def by_verb(*words):
    def write(path):
        model = path.parent / "in.silva"
        if not model.exists():
            silva.save(MODEL, model)
        line = [str(model) if word == "MODEL" else str(word) for word in words]
        assert run([*line, str(path), "--force", "-q"]) == 0

    return write


WRITERS = {
    "save": lambda path: silva.save(MODEL, path),
    "save a forest": lambda path: silva.save(
        silva.ForestClassifier(2).fit([[1.0], [2.0]], ["a", "b"]), path
    ),
    "report": lambda path: silva.report(MODEL, path=path),
    "predict -o": by_verb("predict", "MODEL", LOANS, "-o"),
    "fit -o": by_verb("fit", LOANS, "-t", "repaid", "-o"),
    "fit --save-config": by_verb("fit", LOANS, "-t", "repaid", "--save-config"),
    "prune -o": by_verb("prune", "MODEL", "--prune", "minimum_error", "-o"),
    "report -o": by_verb("report", "MODEL", "-o"),
    "plot -o": by_verb("plot", "MODEL", "-o"),
}


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o400])
def test_a_file_that_is_replaced_keeps_its_permissions(write, tmp_path, mode):
    path = tmp_path / "out.svg"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    assert path.read_bytes() != b"old"
    assert mode_of(path) == mode


def test_a_new_file_has_the_permissions_of_the_umask(write, tmp_path, umask):
    write(tmp_path / "out.svg")
    assert mode_of(tmp_path / "out.svg") == 0o666 & ~umask


def test_no_link_at_a_name_that_can_be_guessed_is_followed(write, tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "out.svg"
    victim.write_text("mine")
    for name in ("out.svg.part", f"out.svg.{os.getpid()}.part", f".out.svg.{os.getpid()}.part"):
        (tmp_path / name).symlink_to(victim)
    write(path)
    assert victim.read_text() == "mine"
    assert not path.is_symlink()


def test_no_link_at_the_name_of_the_draft_is_followed(write, tmp_path, monkeypatch):
    victim, path = tmp_path / "victim", tmp_path / "out.svg"
    silva.save(MODEL, tmp_path / "in.silva")
    victim.write_text("mine")
    monkeypatch.setattr("silva.files.secrets.token_hex", lambda n: "0" * 2 * n)
    (tmp_path / f".out.svg.{'0' * 16}.part").symlink_to(victim)
    with pytest.raises((FileExistsError, AssertionError)):
        write(path)
    assert victim.read_text() == "mine"
    assert not path.exists()


def test_a_link_is_written_through(write, tmp_path):
    (tmp_path / "folder").mkdir()
    real, link = tmp_path / "folder" / "real", tmp_path / "out.svg"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("folder/real")
    write(link)
    assert link.is_symlink()
    assert real.read_bytes() != b"old"
    assert mode_of(real) == 0o640
    assert os.listdir(tmp_path / "folder") == ["real"]


HALF = """
import sys
from silva.files import replacing
with replacing(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def half_written(path):
    """A process that has begun to write the file and waits for the end of its input."""
    line = [sys.executable, "-c", HALF, str(path)]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"writing\n"
    return process


def drafts(folder):
    return [one for one in os.listdir(folder) if one.endswith(".part")]


def test_drafts_of_killed_processes_go_and_those_of_others_stay(tmp_path):
    path = tmp_path / "model.silva"
    with half_written(path) as killed:
        killed.kill()
    assert len(drafts(tmp_path)) == 1
    write_bytes(tmp_path / "other.silva", b"x")
    assert len(drafts(tmp_path)) == 1
    for name in ("notes.part", ".model.silva.part", ".model.silva.xyz.part"):
        (tmp_path / name).write_text("not ours")
    with half_written(path) as alive:
        assert len(drafts(tmp_path)) == 4
        write_bytes(path, b"new")
        assert len(drafts(tmp_path)) == 4
        assert path.read_bytes() == b"new"
        alive.stdin.close()
        assert alive.wait() == 0
    assert path.read_bytes() == b"half"
    assert sorted(drafts(tmp_path)) == [".model.silva.part", ".model.silva.xyz.part", "notes.part"]


def test_an_error_in_the_middle_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")

    def half():
        with replacing(path) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_readers_and_many_writers_see_whole_files_only(tmp_path):
    path, sizes, stop = tmp_path / "out", set(), threading.Event()
    write_bytes(path, b"0" * 100_000)

    def read():
        while not stop.is_set():
            found = path.read_bytes()
            sizes.add((len(found), len(set(found))))

    def many(letter):
        for _ in range(50):
            write_bytes(path, letter * 100_000)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=many, args=(letter,)) for letter in (b"1", b"2", b"3")]
    reader.start()
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    stop.set()
    reader.join()
    assert sizes == {(100_000, 1)}
    assert os.listdir(tmp_path) == ["out"]


def test_names_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("ä" * 127)
    write_bytes(path, b"x")
    assert os.listdir(tmp_path) == [path.name]


def test_a_folder_that_cannot_be_listed_takes_files(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may list every folder")
    tmp_path.chmod(0o300)
    write_bytes(tmp_path / "out", b"x")
    tmp_path.chmod(0o700)
    assert (tmp_path / "out").read_bytes() == b"x"
