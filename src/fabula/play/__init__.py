"""Interactive play: a text adventure over the simulator of the actor world.

    > john get apple
    1 John took the apple.
    > john go garden
    2 John went to the garden.
    > where is the apple
    garden
    It follows from:
      1 John took the apple.
      2 John went to the garden.

Three things are separate, as everywhere in Fabula. The *simulation* knows the truth, rejects what
is impossible and performs the rest. What happens is *told*, in the sentences of the actor world's
language. The *reader* gets only these sentences, and answers from them: what a player has only seen
('look', 'examine') is not part of the story.

    worldfile   a world as data: places and exits, people, things, needs
    simulation  the stage of the actor world, with a map, sizes, colours, states and needs
    behaviour   what people do on their own: what they need, else anything possible
    commands    parses typed lines
    session     one game: performs and tells commands, answers questions with their proof
    reports     messages that are not part of the story
    script      turns a file of commands into stories and questions in any format
    console     the game in a terminal
"""
