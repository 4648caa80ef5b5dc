"""Options from a TOML file: flag > environment > TOML > default. Light: --help imports this."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from silva.messages import listed, nearest

Command = TypeVar("Command", bound=Callable[..., Any])

NOT_KEPT = ("config", "save-config", "force", "debug", "help")
"""Options that belong to one run: a file neither sets nor records them."""
NOT_FROM_ENVIRONMENT = ("save-config", "force", "debug")
_SPELLED = {("max_listed", None): "all", ("quote", ""): "none"}


def config_option(command: Command) -> Command:
    """The option --config of every verb."""
    option = click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False),
        is_eager=True,
        expose_value=False,
        callback=_take_defaults,
        help="Take options from the section of this verb in a TOML file.",
    )
    return option(command)


def with_environment(command: click.Command) -> click.Command:
    """The verb, whose options are also read from variables: SILVA_FIT_HELD_OUT for --held-out.

    click's own names would follow the names of the arguments in Python, not those of the options.
    """
    for option in command.params:
        if isinstance(option, click.Option):
            name = _long_name(option)
            if name not in NOT_FROM_ENVIRONMENT:
                option.envvar = f"SILVA_{command.name}_{name}".replace("-", "_").upper()
    return command


def written_options(context: click.Context) -> str:
    """The options that this run was given, by flag, environment or TOML, as a section of TOML."""
    lines = [f"[{context.info_name}]"]
    default = click.core.ParameterSource.DEFAULT
    for key, option in _options(context.command).items():
        name = option.name or ""
        if name in context.params and context.get_parameter_source(name) not in (default, None):
            lines.append(f"{key} = {_toml(name, context.params[name])}")
    return "\n".join([*lines, ""])


def _toml(name: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_scalar, value))}]"
    return _scalar(_SPELLED[name, value] if value in (None, "") else value)


def _scalar(value: Any) -> str:
    """A TOML value; text as a basic string, whose escapes are those of JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    import json

    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _take_defaults(context: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    section = _section(context, path)
    options = _options(context.command)
    spelled = {key.replace("_", "-"): value for key, value in section.items()}
    unknown = [key for key in spelled if key not in options]
    if unknown:
        where = f"{path}, section [{context.info_name}]"
        raise click.UsageError(f"{where}: {_no_such('option', unknown, options)}")
    found = {options[key].name: _given(path, options[key], spelled[key]) for key in spelled}
    context.default_map = {**(context.default_map or {}), **found}


def _section(context: click.Context, path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as stream:
            found = tomllib.load(stream)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} is not TOML: {error}") from None
    verbs = getattr(context.parent and context.parent.command, "commands", {})
    unknown = [name for name in found if name not in verbs]
    if unknown:
        raise click.UsageError(f"{path}: {_no_such('section', unknown, verbs)}")
    section = found.get(context.info_name or "", {})
    if not isinstance(section, dict):
        raise click.UsageError(f"{path}: {context.info_name} must be a section of options")
    return section


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options of a verb that a file can set, by their long names."""
    options = [one for one in command.params if isinstance(one, click.Option)]
    by_name = {_long_name(one): one for one in options}
    return {name: one for name, one in by_name.items() if name not in NOT_KEPT}


def _long_name(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-")


def _given(path: str, option: click.Option, value: Any) -> Any:
    """The value as click takes it from the command line: text, or a list of texts."""
    if option.multiple:
        if isinstance(value, dict):
            return [f"{key}={_word(one)}" for key, one in value.items()]
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if isinstance(value, list | dict):
        raise click.UsageError(f"{path}: --{_long_name(option)} takes one value, not several")
    return value if isinstance(value, bool) else str(value)


def _word(value: Any) -> str:
    """A value of `[fit.set]` as --set takes it."""
    import json

    return value if isinstance(value, str) else json.dumps(value)


def _no_such(what: str, unknown: list[str], known: Mapping[str, Any]) -> str:
    near = nearest(unknown[0].replace("_", "-"), known)
    hint = f"did you mean {near!r}?" if near else f"known are {listed(sorted(known), 40)}"
    return f"there is no {what} {listed(unknown)}; {hint}"
