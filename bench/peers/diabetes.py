"""R² of scikit-learn's models on its diabetes table, on the rows that dl4go's --split 0.8 draws by each seed.

    diabetes.py FILE SEED…   writes the table as the CSV file, and prints a line for each seed, and the means
"""
import csv
import sys
import warnings

WORD = (1 << 64) - 1


def permutation(seed, count):
    """Gives the order of dl4go's internal/random.Permutation."""
    state, order = seed, list(range(count))

    def word():
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & WORD
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        return z ^ z >> 31

    def below(n):
        while True:
            product = word() * n
            if product & WORD >= (1 << 64) % n:
                return product >> 64

    for i in range(count):
        j = below(i + 1)
        order[i] = order[j]
        order[j] = i
    return order


def main(path, seeds):
    import numpy
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import LassoCV, Ridge
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    warnings.filterwarnings("ignore")
    table = load_diabetes(scaled=False)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.feature_names + ["target"])
        writer.writerows([*map(float, row), float(y)] for row, y in zip(table.data, table.target))
    x, y = table.data, table.target
    names = ["Ridge(1.0)", "the best Ridge by the held-out rows", "LassoCV", "MLPRegressor", "MLPRegressor, early stopping"]
    print("seed", *names, sep=", ")
    scores = []
    for seed in seeds:
        order = permutation(seed, len(y))
        train, held = order[:round(0.8 * len(y))], order[round(0.8 * len(y)):]

        def score(model):
            model = TransformedTargetRegressor(make_pipeline(StandardScaler(), model), transformer=StandardScaler())
            return model.fit(x[train], y[train]).score(x[held], y[held])

        scores.append([
            score(Ridge(1.0)), max(score(Ridge(a)) for a in numpy.logspace(-2, 4, 50)), score(LassoCV(cv=5)),
            score(MLPRegressor(random_state=seed, max_iter=2000)),
            score(MLPRegressor(random_state=seed, max_iter=2000, early_stopping=True))])
        print(seed, *(f"{s:.3f}" for s in scores[-1]))
    print("mean", *(f"{s:.3f}" for s in numpy.mean(scores, 0)))
    print("below 0.40", *(numpy.array(scores) < 0.4).sum(0))


if __name__ == "__main__":
    main(sys.argv[1], [int(s) for s in sys.argv[2:]])
