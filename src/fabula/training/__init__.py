"""Training: examples to tensors, one loop for every model, checkpoints that resume exactly.

    data.py      instances as examples, words and answers as numbers, ragged stories as batches
    model.py     the interface of a model: sizes, one forward, and how its paper trains it
    course.py    which examples come when, and at what learning rate
    team.py      several processes that train one model together
    loop.py      the loop: phases, schedule, clipping, validation, early stopping, checkpoints
    source.py    where examples come from: a recipe or a generated folder
    plan.py      the plan of a run: model, settings and data
    runs.py      several restarts side by side; mean, deviation and best
    stored.py    trained models on disk

Needs PyTorch: pip install 'fabula[train]'.
"""
