import { type Static, type TObject } from '@sinclair/typebox'
import { type CommandLimits } from '../../ground/process/limits.js'
import { type JobChange } from '../job-change.js'
import { type ClarifyAsk, type TodoItem } from '../protocol.js'
import { type RequestAnswer, type RequestBody } from '../requests.js'

/** What a call touches, as far as its arguments show. The policy judges this, never the tool's name alone. */
export interface ToolTargets {
  /** Paths as the model wrote them (relative to the workspace), with the access to them, or to everything below them. */
  paths?: Array<{ path: string, access: 'read' | 'write', recursive?: boolean }>
  /** A shell command line. */
  command?: string
  /** The folder in which the command starts, as the model wrote it; absent = the workspace. Its relative paths refer to this folder. */
  cwd?: string
  /** Whether a shell that may have fewer features than bash runs the command. */
  isPlainShell?: boolean
  /** Whether the model asks to run the command outside the sandbox. */
  unconfined?: boolean
  /** The model's reason for that. */
  why?: string
  /** The document of the memory, which every conversation receives, that is changed. */
  memory?: 'memory' | 'user'
  /** The address that is fetched. */
  url?: string
  /** The skill that is saved. */
  skill?: string
  /** The change of a scheduled job. */
  schedule?: string
  /** A call of an MCP server. */
  mcp?: {
    server: string
    tool: string
    /** The pattern key of the call. */
    key: string
    /** What the server says about the effect of the call: it only reads, destroys or adds. The policy does not rely on it. */
    says: 'reads' | 'destroys' | 'adds' | null
    /** Whether the server says that the call only reads. Default: false. */
    onlyReads?: boolean
    /** Whether the server's description of the tool has changed since a call was allowed. */
    isOther: boolean
  }
}

/** The skills of the run's profile. A failure is a result, or a ToolError. */
export interface SkillAccess {
  /** Returns a skill's instructions, one of its files, or without a name the list of all skills. */
  view (name: string | null, file: string | null): Promise<ToolResult>
  /**
   * Returns the text of one of the profile's own skills; null if it does not exist yet. `added`: new text, refused if not allowed;
   * `whole`: what the skill would become, refused if that is not a skill.
   */
  text (
    name: string, category: string | null, added?: string, whole?: string
  ): Promise<{ path: string, text: string | null, version: string }>
  /** `expected`: the version that it replaces. */
  save (name: string, category: string | null, content: string, expected: string): Promise<ToolResult>
}

/** An edit of a document of the memory. */
type MemoryEdit = RequestBody<'memory_text'>

/** A change of a scheduled job. */
type ScheduleChange = RequestBody<'schedule_text'>

/** The scheduled jobs of the run's profile. A failure is a result, or a ToolError. */
export interface ScheduleAccess {
  list (): Promise<ToolResult>
  /** Returns a job in words, as it is (null: it does not exist) and as the change would make it. */
  text (change: ScheduleChange): Promise<Exclude<RequestAnswer<'schedule_text'>, { problem: string }>>
  /** `expected`: the version that is changed; null: any version. */
  save (change: ScheduleChange, expected: string | null): Promise<ToolResult>
}

/** The documents that the run's profile receives in every conversation. A failure is a result, or a ToolError. */
export interface MemoryAccess {
  /** Returns the current document, null if it does not exist, and the document after the edit. */
  text (edit: MemoryEdit): Promise<{ before: string | null, after: string, version: string }>
  /** `expected`: the version that is changed; null: any version. */
  save (edit: MemoryEdit, expected: string | null): Promise<ToolResult>
}

/** Texts that an MCP server asks the model to answer while it works on a call. */
export interface Sample {
  server: string
  /** The pattern key with which the operator can refuse it. */
  key: string
  system: string | null
  messages: Array<{ role: 'user' | 'assistant', text: string }>
  maxTokens: number
}

/** The model's answer, or why it was not asked, in words for the server. `isFinal`: further requests of this call are refused. */
export type Sampled = { text: string, model: string, isCut: boolean } | { refused: string, isFinal: boolean }

export interface ToolContext {
  /** Absolute path of the session's workspace, without symlinks. */
  workspace: string
  sessionId: string
  runId: string
  /** The id of this call; absent if it is not part of a turn. */
  callId?: string
  /** Aborted when the turn is cancelled; a tool stops its work and its children then. */
  signal: AbortSignal
  /** `traceparent` for servers that the call contacts (W3C Trace Context); absent: they must not be told of a trace. */
  traceparent?: string | undefined
  /** Environment for child processes, which contains none of the service's secrets. */
  childEnv: Record<string, string>
  /** Whether the user has just approved exactly this call: paths outside the workspace are then permitted. */
  approved: boolean
  /** The version that the user was shown before the call (a FileStamp, or the one from `propose`): they have approved no other version. */
  seen?: string
  /** Folders outside the workspace that may be read without permission. Absolute, without symlinks. */
  readable: readonly string[]
  /** Whether the command has to run in the sandbox. */
  confined: boolean
  /** Whether the workspace is read-only in the sandbox. */
  readOnly?: boolean
  /** Folders that a confined command must not see: the profile's home and the service's state. */
  hidden: readonly string[]
  /** Folders of the service's own program, which a confined command must not change. Default: none. */
  programs?: readonly string[]
  /** Repositories in the workspace, in which a confined command must not change what git runs. Default: the workspace's own. */
  repositories?: readonly string[]
  /** Limits of a confined command, where they differ from the defaults. */
  limits?: Partial<CommandLimits>
  /** How long it may take to fetch a web page. Default: the tool's own limit. */
  pageLimitMs?: number | null
  /** Prefix of the mark that the processes of commands get, before a name of their own. */
  commandMark?: string
  /** Receives the output of the call, to be shown while it runs; the result contains it too. Default: the output is not shown live. */
  output?: (chunk: Buffer) => void
  /** Asks the user; resolves with the answer, or null if none came in time. */
  clarify (ask: Omit<ClarifyAsk, 'timeoutS'>): Promise<string | null>
  /** Tells the user about something that happened during the call. */
  warn? (kind: string, message: string): void
  /**
   * Asks the model of the turn to answer an MCP server, once a person has allowed it. Aborting `signal` withdraws the request: the card is
   * closed.
   */
  sample? (sample: Sample, signal: AbortSignal): Promise<Sampled>
  /** Gives a task to a sub-agent; resolves with its answer. */
  delegate (task: string): Promise<ToolResult>
  memory: MemoryAccess
  /** Searches earlier conversations. Throws ToolError when that fails. */
  searchSessions (search: RequestBody<'session_search'>): Promise<RequestAnswer<'session_search'>>
  /** Asks another model to sum up results from earlier conversations; null if none is set for that, or it failed. */
  recall? (text: string): Promise<{ text: string, model: string } | null>
  /** Returns whether a page at this address, to which an allowed page has redirected, may be fetched without permission. Default: no. */
  mayFetch?: (url: string) => Promise<boolean>
  /** Asks another model to extract from a long text what matters for the request; null if none is set for that, or it failed. */
  extract? (text: string): Promise<{ text: string, model: string } | null>
  skills: SkillAccess
  schedules: ScheduleAccess
  /** Replaces the session's plan. @param version the version that is replaced; null: the one that the agent has written last */
  savePlan (plan: string, version: number | null): Promise<ToolResult>
  /** Replaces the session's todo list. */
  setTodos (todos: TodoItem[]): void
}

/** Documents that the web tier stores and calls may change. */
export type StoredDocuments = Pick<ToolContext, 'memory' | 'skills' | 'schedules'>

/** An image in a tool's answer; `data` in base64. */
export interface ToolImage { data: string, mediaType: string }

/**
 * Images are shown to the model for the rest of the turn; `text` mentions them. `answer`: the server's whole answer, for its own view.
 */
export interface ToolResult { text: string, isError?: boolean, images?: ToolImage[], answer?: unknown }

/** A capability that the model can call. `run` may throw: the loop turns that into an error result that the model sees. */
export interface Tool<Parameters extends TObject = TObject> {
  name: string
  description: string
  /** JSON Schema (TypeBox) of the arguments; arguments that do not match never reach `run`. */
  parameters: Parameters
  /** What the call may do at worst if its targets are not more precise; `write` means files, `state` data that the service stores. */
  risk: 'none' | 'read' | 'write' | 'execute' | 'network' | 'state'
  targets (args: Static<Parameters>): ToolTargets
  /** One line for the tool card, at most 120 characters. */
  preview (args: Static<Parameters>): string
  /** Returns what is wrong with arguments, in words for the model. Default: checks them against `parameters`, which must be TypeBox. */
  problem? (args: unknown): string | undefined
  /** Returns the whole text that a call would put into a file, or send, for the person who is asked. */
  content? (args: Static<Parameters>): string
  /**
   * Returns the whole text of the file after the call; `before` is null if the file does not exist. Throws as `run` does.
   */
  rewrite? (args: Static<Parameters>, before: string | null): string | Promise<string>
  /**
   * The same for a text that the web tier stores; `path` is the name that people know. `seen` is passed to `run` once the user has agreed.
   * `isWhole`: the user is also shown what stays. `job`: the scheduled job that the texts describe. If it throws a ToolError, permission
   * is not asked for.
   */
  propose? (args: Static<Parameters>, kept: StoredDocuments): Promise<{
    path: string, before: string | null, after: string, seen: string, isWhole?: boolean, job?: JobChange | undefined
  }>
  /**
   * Called as soon as a call is permitted, before anything else happens: a call that is cancelled then has still been allowed. `asked`: a
   * person was shown this call.
   */
  permitted? (asked: boolean): Promise<void>
  run (args: Static<Parameters>, context: ToolContext): Promise<ToolResult>
}
