import { Type, type TSchema } from '@sinclair/typebox'
import { chatFrames } from './chat.js'
import { Closed, Flag, Nullable, OneOf, Seconds } from './common.js'
import { ConfigError, ConfigProblems } from './config.js'
import { cronFrames } from './crons.js'
import { HostState } from './machines.js'
import { PendingApproval, PendingClarification } from './prompts.js'
import { PageRow, SessionPage } from './sessions-pages.js'
import { sessionFrames } from './sessions.js'
import { StoredSettings } from './settings.js'
import { goalFrames } from './side-turns.js'

const Repeatable = (maxItems: number, maxLength: number, description: string) => Type.Optional(Type.Union([
  Type.String({ maxLength }), Type.Array(Type.String({ maxLength }), { maxItems })
], { description: `${description}; may be repeated, ${maxItems} at most` }))

export const FeedQuery = Type.Object({
  follow: Repeatable(100, 300, 'a turn whose frames are wanted: its stream_id, or the id of the last frame of it that is known'),
  folder: Repeatable(20, 4_400, 'a folder whose changes are wanted: <session_id>:<path>'),
  session: Repeatable(
    20, 200, 'a session whose own stream is wanted, and the frames of every turn of it that runs or begins: its session_id'
  ),
  after_event_id: Type.Optional(Type.String({ description: 'id of the last frame that was seen; wins over the header Last-Event-ID' })),
  all_profiles: Flag('sessions of every profile'),
  include_archived: Flag('archived sessions as well'),
  limit: Type.Optional(Type.String({ description: 'rows of the list in a snapshot, 1 to 200; 50 unless told otherwise' }))
})

/** One kind of prompts of one session. */
const SessionPrompts = Closed({
  session_id: Type.String(),
  session_title: Nullable(Type.String()),
  profile: Nullable(Type.String()),
  event: Type.Union([Type.Literal('approval'), Type.Literal('clarify')]),
  data: Closed({
    pending: Nullable(Type.Union([PendingApproval, PendingClarification])), pending_count: Type.Integer()
  }, { description: 'as the session\'s own stream has it' }),
  waiting: Type.Array(Type.Union([PendingApproval, PendingClarification]), { description: 'those behind the first' })
})

const SavedSettings = Type.Array(Type.String(), { description: 'those of `settings` that somebody has saved; all others are defaults' })

const ofTurn = ([event, data]: [string, TSchema]) => Closed({
  session_id: Type.String(), stream_id: Type.String(), id: Type.String({ description: 'of the frame in its own stream' }),
  event: Type.Literal(event), data
})
const ofConversation = <Event extends keyof typeof sessionFrames>(event: Event) =>
  Closed({ session_id: Type.String(), event: Type.Literal(event), data: sessionFrames[event] })

/** What `GET /api/events` sends, by the name of the event. */
export const feedFrames = {
  snapshot: Closed({
    profile: Type.String(), list: SessionPage, prompts: Type.Array(SessionPrompts), settings: StoredSettings, saved_settings: SavedSettings,
    config_error: ConfigError,
    config_problems: ConfigProblems
  }),
  sessions: Closed({ list: SessionPage }),
  session: Closed({ session_id: Type.String(), version: Type.Integer(), session: PageRow }),
  session_gone: Closed({ session_id: Type.String(), version: Type.Integer() }),
  prompts: SessionPrompts,
  settings: Closed({ settings: StoredSettings, saved_settings: SavedSettings }),
  hosts: Closed({
    hosts: Type.Array(Closed({ name: Type.String(), state: HostState, since: Seconds() }))
  }, { description: 'another machine has joined, gone or come back; GET /api/hosts has more' }),
  profile: Closed({
    profile: Type.String(), exists: Type.Boolean({ description: 'false: it was deleted' }), config_error: ConfigError,
    config_problems: ConfigProblems
  }, { description: 'its config.yaml or .env says something else, or it came or went' }),
  memory: Closed({
    profile: Type.String(),
    section: OneOf(['memory', 'user', 'soul']),
    mtime: Nullable(Seconds(), 'null where there is no file, or the profile does not use it')
  }, { description: 'a document of the memory says something else; GET /api/memory has it' }),
  notice: Closed({
    kind: Type.String({ description: 'background_task' }), session_id: Type.String(),
    ref: Type.String({ description: 'of what it is about: the task' }), at: Seconds()
  }),
  ...cronFrames,
  turn: Type.Unsafe<unknown>({
    anyOf: Object.entries({ ...chatFrames, ...goalFrames }).map(ofTurn), description: 'event and data as the turn\'s own stream has them'
  }),
  turn_unknown: Closed({ session_id: Nullable(Type.String()), stream_id: Type.String(), error: Type.String() }),
  conversation: Type.Union([
    ofConversation('initial'), ofConversation('session-updated'), ofConversation('server_turn_started'), ofConversation('bg_task_complete')
  ], { description: 'event and data as the session\'s own stream has them' }),
  conversation_unknown: Closed({ session_id: Type.String(), error: Type.String() }),
  folder: Closed({
    session_id: Type.String(),
    path: Type.String({ description: 'as it was asked for' }),
    event: Type.Union([Type.Literal('initial'), Type.Literal('workspace_changed')]),
    data: Closed({
      workspace: Type.String(), path: Type.String(), signature: Nullable(Type.String())
    }, { description: 'as the folder\'s own stream has it' })
  }),
  folder_unknown: Closed({ session_id: Type.String(), path: Type.String(), error: Type.String() })
} satisfies Record<string, TSchema>
