"""Many Python threads at once: each gets the answer it would get alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from silva import TreeClassifier, TreeRegressor
from silva.tree.tree import same
from tests.reliability.child_process import run

RNG = np.random.default_rng(0)
TABLE, TARGET = RNG.normal(size=(4_000, 5)), RNG.integers(0, 3, 4_000)


def test_fits_and_predictions_side_by_side():
    alone = TreeClassifier().fit(TABLE, TARGET)
    answers = alone.predict_proba(TABLE)

    def job(number):
        if number % 2:
            return np.array_equal(alone.predict_proba(TABLE), answers)
        return same(TreeClassifier(n_jobs=number % 3 + 1).fit(TABLE, TARGET).grown_tree_, tree)

    tree = alone.grown_tree_
    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(job, range(60)))


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_a_model_that_is_fitted_again_answers_with_the_old_or_the_new_tree(kind):
    """The two targets share no value, so a mixture of the two models would show."""
    targets = [TARGET.astype(float), TARGET + 10.0]
    model = kind().fit(TABLE, targets[0])
    whole = [kind().fit(TABLE, target).predict(TABLE) for target in targets]

    def refit(number):
        model.fit(TABLE[:, : 1 + number % 5], targets[number % 2])
        model.fit(TABLE, targets[number % 2])
        return True

    def predict(_):
        try:
            found = model.predict(TABLE)
        except ValueError:
            return True
        return any(np.array_equal(found, answers) for answers in whole)

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(refit if n % 4 == 0 else predict, n) for n in range(80)]
        assert all(job.result() for job in jobs)


def test_a_table_that_changes_during_the_fit_does_no_harm_beyond_its_tree():
    (line,) = run(
        """
        import threading
        import numpy as np
        from silva import TreeClassifier, TreeRegressor
        rng = np.random.default_rng(0)
        table, target = rng.normal(size=(5_000, 6)), rng.integers(0, 2, 5_000)
        model, done = TreeClassifier().fit(table, target), False
        def spoil():
            while not done:
                table[:] = rng.normal(size=table.shape)
                table[::7], table[::11] = np.nan, np.inf
        spoiler = threading.Thread(target=spoil)
        spoiler.start()
        for n_jobs in (1, 2) * 10:
            TreeClassifier(n_jobs=n_jobs).fit(table, target)
            TreeRegressor(n_jobs=n_jobs).fit(table, target)
            assert set(model.predict(table)) <= {0, 1}
        done = True
        spoiler.join()
        print("alive")
        """
    )
    assert line == "alive"
