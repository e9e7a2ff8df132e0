"""Training: examples to tensors, one loop for every model, checkpoints that resume exactly.

    data.py      instances as examples, words and answers as numbers, ragged stories as batches
    model.py     what a model is: sizes, one forward, and how its paper trains it
    course.py    which examples come when, and at what learning rate
    team.py      several processes that train one model together
    loop.py      the loop: phases, schedule, clipping, validation, early stopping, checkpoints
    source.py    where examples come from: a recipe or a generated folder
    plan.py      what a run is to do: the model, its settings and its data
    runs.py      several restarts side by side; mean, deviation and best
    stored.py    trained models on disk

Needs PyTorch: pip install 'fabula[train]'.
"""
