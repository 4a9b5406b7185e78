"""An attack: a function of a server, bounded in time and memory, that raises Breach if the attack succeeds."""
from typing import Callable, NamedTuple

from server import Server


class Attack(NamedTuple):
    name: str
    function: Callable[[Server], None]
    settings: dict
    stores: tuple


def register(attacks: list[Attack], settings: dict | None = None, stores: tuple = ("sqlite", "postgres")):
    def add(function: Callable[[Server], None]):
        attacks.append(Attack(function.__name__, function, settings or {}, stores))
        return function

    return add
