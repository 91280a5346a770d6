"""Models of scikit-learn, fitted to the data sets it comes with, as ONNX graphs of the domain ai.onnx.ml."""

import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

OPSETS = {"": 17, "ai.onnx.ml": 3}


def converted(model, data, **options):
    x, y = data(return_X_y=True)
    x = x.astype(np.float32)
    model.fit(x, y)
    return to_onnx(model, x[:1], target_opset=OPSETS, options={id(model): options} if options else None)


def forest():
    """Digits by 100 trees, their probabilities as a tensor."""
    return converted(RandomForestClassifier(100, random_state=0), load_digits, zipmap=False)


def boosting():
    """A regression by 300 trees that correct each other."""
    return converted(GradientBoostingRegressor(n_estimators=300, random_state=0), load_diabetes)


def logistic():
    """Digits by a scaler and a linear classifier, their probabilities as a map for each row."""
    return converted(make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)), load_digits)


LEARNED = {"forest": forest, "boosting": boosting, "logistic": logistic}
