"""Options: flag > environment > TOML > default, for every verb."""

import tomllib

import pytest

import silva
from silva.cli.config import NOT_FROM_ENVIRONMENT, with_environment
from silva.cli.main import silva as group


@pytest.fixture
def config(tmp_path):
    def written(text):
        path = tmp_path / "silva.toml"
        path.write_text(text)
        return path

    return written


def depth_of(out):
    return int(out.partition("depth ")[2].split()[0].rstrip(";,:"))


def test_flag_over_environment_over_file_over_default(zoo, config, monkeypatch, silva_command):
    line = ["fit", zoo.table, "-q"]
    path = config('[fit]\ntarget = "repaid"\nset = ["max_depth=1"]\n')
    assert depth_of(silva_command("fit", zoo.table, "-t", "repaid", "-q")[1]) == 4
    line += ["--config", path]
    assert depth_of(silva_command(*line)[1]) == 1
    monkeypatch.setenv("SILVA_FIT_SET", "max_depth=2 min_gain=0")
    assert depth_of(silva_command(*line)[1]) == 2
    assert depth_of(silva_command(*line, "--set", "max_depth=3")[1]) == 3


def test_a_section_for_every_verb(zoo, config, silva_command):
    path = config(
        '[show]\nmax-depth = 1\n[evaluate]\ntarget = "repaid"\nformat = "csv"\nquiet = true\n'
        '[fit]\nheld_out = 0.25\ntarget = "repaid"\n[fit.set]\nmax_depth = 1\n'
        'class_weight = {no = 2.0, yes = 1.0}\ncriterion = "entropy"\n'
    )
    shown = silva_command("show", zoo.path("tree"), "--config", path)[1]
    assert shown == silva.to_text(zoo.models["tree"], max_depth=1) + "\n"
    code, out, err = silva_command("evaluate", zoo.path("tree"), zoo.table, "--config", path, "-q")
    assert (code, out.partition("\n")[0], err) == (0, "measure,class,value,low,high,baseline", "")
    code, out, err = silva_command("fit", zoo.table, "--config", path)
    assert out.startswith("classification tree (entropy): 3 nodes")
    assert "held-out" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[fit]\ntraget = 'y'\n", "there is no option 'traget'; did you mean 'target'?"),
        ("[fit]\ntraget = 'y'\nzzz = 1\n", "there is no option 'traget', 'zzz'"),
        ("[ftt]\ntarget = 'y'\n", "there is no section 'ftt'; did you mean 'fit'?"),
        ("target = 'y'\n", "there is no section 'target'; known are"),
        ("fit = 3\n", "fit must be a section of options"),
        ("[fit]\ntarget = ['a', 'b']\n", "--target takes one value, not several"),
        ("[fit]\ntarget = \n", "is not TOML"),
        ("[fit]\nforce = true\n", "there is no option 'force'"),
        ("[fit]\nheld-out = 3\n", "'--held-out': 3.0 is not in the range"),
    ],
)
def test_what_a_file_cannot_say(text, message, zoo, config, silva_command):
    code, out, err = silva_command("fit", zoo.table, "-t", "repaid", "--config", config(text))
    assert (code, out) == (2, "")
    assert message in err


def test_used_options_are_written_and_read_again(zoo, tmp_path, monkeypatch, silva_command):
    path, model, again = (tmp_path / name for name in ("used.toml", "a.silva", "b.silva"))
    line = ["fit", zoo.table, "--set", "max_depth=2", "--drop", 'lo"an', "--quote", "none"]
    assert silva_command(*line, "-t", "repaid", "--save-config", path)[0] == 1
    assert not path.exists()
    line[5] = "loan"
    monkeypatch.setenv("SILVA_FIT_TARGET", "repaid")
    more = ["--max-listed", "all", "--no-dates", "--seed", "7", "-o", model]
    assert silva_command(*line, *more, "--save-config", path)[0] == 0
    assert tomllib.loads(path.read_text()) == {
        "fit": {
            "target": "repaid",
            "output": str(model),
            "drop": ["loan"],
            "set": ["max_depth=2"],
            "max-listed": "all",
            "seed": 7,
            "quote": "none",
            "dates": False,
        }
    }
    monkeypatch.delenv("SILVA_FIT_TARGET")
    assert silva_command("fit", zoo.table, "--config", path, "-o", again)[0] == 0
    assert again.read_bytes() == model.read_bytes()
    code, _, err = silva_command("fit", zoo.table, "--config", path, "--save-config", path)
    assert code == 1
    assert "exists already" in err


@pytest.mark.parametrize("verb", list(group.commands))
def test_variables_are_named_as_the_options(verb):
    command = with_environment(group.commands[verb])
    for option in command.params:
        name = max(option.opts, key=len)
        if name.startswith("--") and name[2:] not in NOT_FROM_ENVIRONMENT:
            assert option.envvar == f"SILVA_{verb}_{name[2:]}".upper().replace("-", "_")
        else:
            assert option.envvar is None


def test_the_environment_reaches_every_kind_of_option(zoo, monkeypatch, silva_command):
    monkeypatch.setenv("SILVA_DOCTOR_TARGET", "repaid")
    monkeypatch.setenv("SILVA_DOCTOR_DROP", "loan age")
    monkeypatch.setenv("SILVA_DOCTOR_FORMAT", "json")
    monkeypatch.setenv("SILVA_DOCTOR_QUIET", "1")
    code, out, err = silva_command("doctor", zoo.table)
    assert (code, err) == (0, "")
    assert '"age"' not in out
    assert out.startswith("{")
