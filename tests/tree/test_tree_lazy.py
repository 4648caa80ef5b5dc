"""Values computed on demand: once for each instance, and without a lock that all share."""

from threading import Event, Thread

from silva.tree.lazy import lazy


class Counted:
    def __init__(self):
        self.count = 0

    @lazy
    def answer(self):
        """What it is."""
        self.count += 1
        return 42


def test_computed_once_for_each_instance():
    first, second = Counted(), Counted()
    assert (first.answer, first.answer, first.count) == (42, 42, 1)
    assert second.count == 0
    assert Counted.answer.__doc__ == "What it is."


def test_one_instance_never_waits_for_another():
    """A fork copies a held lock, and in the new process nobody is left to release it."""
    started, go_on = Event(), Event()

    class Slow:
        def __init__(self, waits):
            self.waits = waits

        @lazy
        def answer(self):
            started.set()
            return self.waits and go_on.wait(30)

    worker = Thread(target=lambda: Slow(True).answer)
    worker.start()
    started.wait(30)
    answers = []
    other = Thread(target=lambda: answers.append(Slow(False).answer))
    other.start()
    other.join(10)
    finished_first = not other.is_alive() and worker.is_alive()
    go_on.set()
    worker.join(30)
    assert finished_first
    assert answers == [False]
