"""Training of an adapter: a matrix that moves a question's vector nearer to the chunk that answers it.

The loss is InfoNCE: the cosine of a question and its chunk against those of wrong chunks, by a temperature, plus the
squared distance of the matrix from the identity. It is minimized by gradient descent in float64, from a fixed seed: the
same examples give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Positions = NDArray[np.int64]
TEMPERATURE = 0.05
IDENTITY_WEIGHT = 0.25
"""Weight of the squared distance from the identity in the loss."""
LEARNING_RATE = 0.005
MOMENTUM = 0.9
BATCH_QUESTIONS = 64
MOST_EPOCHS = 60
PATIENCE_EPOCHS = 5
"""Epochs without a lower loss on the held-out part after which training stops."""
SEED = 0


@dataclass(frozen=True, slots=True)
class Examples:
    """Training examples: ``questions`` (m, n) and ``chunks`` (c, n), unit vectors, and the chunks of each question.

    By position: ``positives`` (m,), the chunk to be nearest; ``negatives`` (m, k), the nearest wrong chunks; ``right``,
    all right chunks, which never count as wrong.
    """

    questions: NDArray[np.float32]
    chunks: NDArray[np.float32]
    positives: Positions
    negatives: Positions
    right: Sequence[frozenset[int]]

    def __len__(self) -> int:
        return len(self.questions)

    def some(self, numbers: Sequence[int]) -> Examples:
        """The examples of the questions with these numbers."""
        at = np.array(numbers, np.int64)
        right = [self.right[number] for number in numbers]
        return Examples(self.questions[at], self.chunks, self.positives[at], self.negatives[at], right)


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained ``matrix`` (n, n), of the epoch with the lowest of ``losses``.

    ``losses`` are the identity's, then one for each epoch; ``epochs`` is the position of the lowest.
    """

    matrix: NDArray[np.float32]
    epochs: int
    losses: tuple[float, ...]


def train(learnt: Examples, stopping: Examples) -> Trained:
    """Train the matrix on ``learnt``, and stop at the epoch with the lowest loss on ``stopping``.

    Both need at least one example. If no epoch lowers that loss, the matrix is the identity, after 0 epochs.
    """
    matrix = best = np.eye(learnt.questions.shape[1])
    losses = [_loss(matrix, stopping)]
    for matrix in _epochs(learnt, MOST_EPOCHS):
        losses.append(_loss(matrix, stopping))
        if losses[-1] == min(losses):
            best = matrix
        elif len(losses) - 1 - int(np.argmin(losses)) >= PATIENCE_EPOCHS:
            break
    return Trained(best.astype(np.float32), int(np.argmin(losses)), tuple(losses))


def train_for(learnt: Examples, epochs: int) -> NDArray[np.float32]:
    """Train the matrix on ``learnt`` for a number of epochs; 0 gives the identity."""
    matrix = np.eye(learnt.questions.shape[1])
    for found in _epochs(learnt, epochs):
        matrix = found
    return matrix.astype(np.float32)


def nearest_wrong(
    questions: NDArray[np.float32], chunks: NDArray[np.float32], right: Sequence[frozenset[int]], count: int
) -> Positions:
    """The positions of the ``count`` nearest chunks of each question that are not right, nearest first, ``(m, count)``.

    Fewer if there are not so many chunks.
    """
    most = min(len(chunks) - max(map(len, right), default=0), count)
    found = np.zeros((len(questions), max(0, most)), np.int64)
    for row, (question, own) in enumerate(zip(questions, right, strict=True)):
        scores = chunks @ question
        scores[list(own)] = -np.inf
        found[row] = np.argsort(-scores, kind="stable")[: found.shape[1]]
    return found


def _epochs(examples: Examples, count: int) -> Iterator[Matrix]:
    """The matrix after each of ``count`` epochs of gradient descent with momentum over shuffled batches."""
    random, size = np.random.default_rng(SEED), examples.questions.shape[1]
    matrix, speed = np.eye(size), np.zeros((size, size))
    for _ in range(count):
        for batch in _batches(examples, random.permutation(len(examples)).tolist()):
            speed = MOMENTUM * speed - LEARNING_RATE * _gradient(matrix, batch)
            matrix = matrix + speed
        yield matrix


def _batches(examples: Examples, order: Sequence[int]) -> Iterator[Examples]:
    for begin in range(0, len(order), BATCH_QUESTIONS):
        yield examples.some(order[begin : begin + BATCH_QUESTIONS])


def _loss(matrix: Matrix, examples: Examples) -> float:
    """The mean loss of the questions, without the cost of the matrix itself."""
    losses = [-np.log(np.diagonal(_shares(matrix, batch)[0])) for batch in _batches(examples, range(len(examples)))]
    return float(np.concatenate(losses).mean())


def _shares(matrix: Matrix, batch: Examples) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """The probability of each candidate to be a question's chunk, (b, b + b·k): first the questions' own chunks.

    Also the candidates (b + b·k, n), the transformed unit questions (b, n), and their lengths before scaling (b, 1). A
    right chunk of a question is no candidate for it, except its own.
    """
    at = np.concatenate([batch.positives, batch.negatives.ravel()])
    candidates = batch.chunks[at].astype(np.float64)
    turned = batch.questions.astype(np.float64) @ matrix
    lengths = np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
    turned = turned / lengths
    scores = turned @ candidates.T / TEMPERATURE
    for row, own in enumerate(batch.right):
        is_right = np.isin(at, list(own))
        is_right[row] = False
        scores[row, is_right] = -np.inf
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.maximum(shares / shares.sum(axis=1, keepdims=True), 1e-300), candidates, turned, lengths


def _gradient(matrix: Matrix, batch: Examples) -> Matrix:
    shares, candidates, turned, lengths = _shares(matrix, batch)
    rows = np.arange(len(batch))
    shares[rows, rows] -= 1
    of_turned = shares @ candidates / (TEMPERATURE * len(batch))
    of_turned -= (of_turned * turned).sum(axis=1, keepdims=True) * turned
    found: Matrix = batch.questions.T.astype(np.float64) @ (of_turned / lengths)
    return found + 2 * IDENTITY_WEIGHT * (matrix - np.eye(len(matrix)))
