import { Type, type TSchema } from '@sinclair/typebox'
import { attemptFrames } from './attempts.js'
import { checkFrames } from './checks.js'
import { chatFrames } from './chat.js'
import { Closed, Flag, Nullable, OneOf, Seconds } from './common.js'
import { ConfigError, ConfigProblems } from './profiles-config.js'
import { cronFrames } from './crons.js'
import { HomeCounts } from './home-parts.js'
import { MachineState } from './machines.js'
import { PendingApproval, PendingClarification } from './prompts.js'
import { pullFrames } from './pulls.js'
import { PageRow, SessionPage } from './sessions-pages.js'
import { sessionFrames } from './sessions.js'
import { StoredSettings } from './settings.js'
import { goalFrames } from './goals.js'

const Repeatable = (maxItems: number, maxLength: number, description: string) => Type.Optional(Type.Union([
  Type.String({ maxLength }), Type.Array(Type.String({ maxLength }), { maxItems })
], { description: `${description}; may be repeated, at most ${maxItems} times` }))

export const FeedQuery = Type.Object({
  follow: Repeatable(100, 300, 'a turn to follow: its stream_id, or the id of its last frame that you have'),
  folder: Repeatable(20, 4_400, 'a folder to follow: <session_id>:<path>'),
  session: Repeatable(
    20, 200, 'a session to follow, with the frames of its running and future turns: its session_id'
  ),
  after_event_id: Type.Optional(Type.String({ description: 'id of the last frame that you have; wins over the header Last-Event-ID' })),
  all_profiles: Flag('include sessions of every profile'),
  include_archived: Flag('include archived sessions'),
  limit: Type.Optional(Type.String({ description: 'rows of the session list in a snapshot, 1 to 200; default 50' }))
})

/** One kind of prompts of one session. */
const SessionPrompts = Closed({
  session_id: Type.String(),
  session_title: Nullable(Type.String()),
  profile: Nullable(Type.String()),
  event: Type.Union([Type.Literal('approval'), Type.Literal('clarify')]),
  data: Closed({
    pending: Nullable(Type.Union([PendingApproval, PendingClarification])), pending_count: Type.Integer()
  }, { description: 'as in the stream of the session' }),
  waiting: Type.Array(Type.Union([PendingApproval, PendingClarification]), { description: 'the prompts after the first' })
})

const SavedSettings = Type.Array(Type.String(), {
  description: 'keys of the settings that were saved; all others have their default values'
})

const ofTurn = ([event, data]: [string, TSchema]) => Closed({
  session_id: Type.String(), stream_id: Type.String(), id: Type.String({ description: 'id of the frame in the stream of the turn' }),
  event: Type.Literal(event), data
})
const ofConversation = <Event extends keyof typeof sessionFrames>(event: Event) =>
  Closed({ session_id: Type.String(), event: Type.Literal(event), data: sessionFrames[event] })

/** The frames of `GET /api/events`, by the name of the event. */
export const feedFrames = {
  snapshot: Closed({
    profile: Type.String(), list: SessionPage, prompts: Type.Array(SessionPrompts), settings: StoredSettings, saved_settings: SavedSettings,
    config_error: ConfigError,
    config_problems: ConfigProblems,
    counts: HomeCounts
  }),
  sessions: Closed({ list: SessionPage }),
  session: Closed({ session_id: Type.String(), version: Type.Integer(), session: PageRow }),
  session_gone: Closed({ session_id: Type.String(), version: Type.Integer() }),
  prompts: SessionPrompts,
  settings: Closed({ settings: StoredSettings, saved_settings: SavedSettings }),
  hosts: Closed({
    hosts: Type.Array(Closed({ name: Type.String(), state: MachineState, since: Seconds() }))
  }, { description: 'a machine has joined, disconnected or reconnected: read GET /api/hosts' }),
  profile: Closed({
    profile: Type.String(), exists: Type.Boolean({ description: 'false: the profile was deleted' }), config_error: ConfigError,
    config_problems: ConfigProblems
  }, { description: 'config.yaml or .env of the profile has changed, or the profile was created or deleted' }),
  memory: Closed({
    profile: Type.String(),
    section: OneOf(['memory', 'user', 'soul']),
    mtime: Nullable(Seconds(), 'epoch seconds; null: the file does not exist, or the profile does not use it')
  }, { description: 'a memory document has changed: read GET /api/memory' }),
  home: Closed({
    profile: Type.String(), seen_at: Nullable(Type.Integer({ description: 'epoch seconds' }), 'epoch seconds: when someone last looked; null: nobody has looked yet')
  }, { description: 'someone has looked at the home screen, or a turn has become silent or active again: read GET /api/home' }),
  counts: Closed({
    profile: Type.String(), counts: HomeCounts
  }, { description: 'the numbers of GET /api/home have changed; at most one frame a second' }),
  notice: Closed({
    kind: Type.String({ description: 'background_task' }), session_id: Type.String(),
    ref: Type.String({ description: 'id of the task' }), at: Seconds()
  }),
  ...cronFrames,
  ...pullFrames,
  ...attemptFrames,
  ...checkFrames,
  turn: Type.Unsafe<unknown>({
    anyOf: Object.entries({ ...chatFrames, ...goalFrames }).map(ofTurn), description: 'event and data as in the stream of the turn'
  }),
  turn_unknown: Closed({ session_id: Nullable(Type.String()), stream_id: Type.String(), error: Type.String() }),
  conversation: Type.Union([
    ofConversation('initial'), ofConversation('session-updated'), ofConversation('server_turn_started'), ofConversation('queue_changed'),
    ofConversation('reviews_changed'), ofConversation('plan_changed'),
    ofConversation('view_calls_changed'), ofConversation('bg_task_complete')
  ], { description: 'event and data as in the stream of the session' }),
  conversation_unknown: Closed({ session_id: Type.String(), error: Type.String() }),
  folder: Closed({
    session_id: Type.String(),
    path: Type.String({ description: 'the path of the request' }),
    event: Type.Union([Type.Literal('initial'), Type.Literal('workspace_changed')]),
    data: Closed({
      workspace: Type.String(), path: Type.String(), signature: Nullable(Type.String())
    }, { description: 'as in the stream of the folder' })
  }),
  folder_unknown: Closed({ session_id: Type.String(), path: Type.String(), error: Type.String() })
} satisfies Record<string, TSchema>
