public import Annals
public import TeamBoards
public import TeamPeople

/// All that happens in the app, of both modules.
public typealias TeamEvent = EventUnion4<TeamPersonEvent, TeamBoardEvent, TeamCardEvent, TeamCommentEvent>
