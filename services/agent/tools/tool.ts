import { type Static, type TObject } from '@sinclair/typebox'
import { type CommandLimits } from '../../ground/process/limits.js'
import { type ClarifyAsk, type TodoItem } from '../protocol.js'
import { type RequestAnswer, type RequestBody } from '../requests.js'

/** What a call touches, as far as its arguments tell. The policy judges this, never the tool's name alone. */
export interface ToolTargets {
  /** Paths as the model wrote them (relative ones mean the workspace), with what happens to them or to all below them. */
  paths?: Array<{ path: string, access: 'read' | 'write', recursive?: boolean }>
  /** A shell command line. */
  command?: string
  /** Where the command starts, as the model wrote it; absent = the workspace. Its relative paths mean this folder. */
  cwd?: string
  /** The command is run by a shell that may know less than bash. */
  isPlainShell?: boolean
  /** The model asks for the command to run outside the sandbox. */
  unconfined?: boolean
  /** The reason the model gives for that. */
  why?: string
  /** What every conversation is told: a document of the memory that is changed. */
  memory?: 'memory' | 'user'
  /** An address to be fetched. */
  url?: string
  /** The skill that is to be saved. */
  skill?: string
  /** What happens to a scheduled job. */
  schedule?: string
  /** A call of an MCP server. */
  mcp?: {
    server: string
    tool: string
    /** The pattern key that stands for it. */
    key: string
    /** What the server says of its effect, as the end of a sentence: "only reads". Nobody relies on it. */
    says: 'reads' | 'destroys' | 'adds' | null
    /** The server says that it only reads. Absent: it does not. */
    onlyReads?: boolean
    /** The server describes the tool differently than when a call of it was allowed. */
    isOther: boolean
  }
}

/** The skills of the run's profile. What cannot be done is a result, or a ToolError. */
export interface SkillAccess {
  /** A skill's instructions, a file of it, or without a name the list of all. */
  view (name: string | null, file: string | null): Promise<ToolResult>
  /** The text of a skill of the profile's own; null where there is none yet. `added`: what is to get into it, refused where it may not. */
  text (name: string, category: string | null, added?: string): Promise<{ path: string, text: string | null, version: string }>
  /** `expected`: the version that it takes the place of. */
  save (name: string, category: string | null, content: string, expected: string): Promise<ToolResult>
}

/** An edit of a document of the memory. */
type MemoryEdit = RequestBody<'memory_text'>

/** A change of a scheduled job. */
type ScheduleChange = RequestBody<'schedule_text'>

/** The scheduled jobs of the run's profile. What cannot be done is a result, or a ToolError. */
export interface ScheduleAccess {
  list (): Promise<ToolResult>
  /** A job in words, as it is (null: there is none) and as a change would make it. */
  text (change: ScheduleChange): Promise<{ path: string, before: string | null, after: string, version: string }>
  /** `expected`: the version that is to be changed; null: whatever there is. */
  save (change: ScheduleChange, expected: string | null): Promise<ToolResult>
}

/** What the run's profile is told in every conversation. What cannot be done is a result, or a ToolError. */
export interface MemoryAccess {
  /** The document now, null where there is none, and as the edit would make it. */
  text (edit: MemoryEdit): Promise<{ before: string | null, after: string, version: string }>
  /** `expected`: the version that is to be changed; null: whatever there is. */
  save (edit: MemoryEdit, expected: string | null): Promise<ToolResult>
}

/** Texts that an MCP server wants the model to answer, while it works on a call. */
export interface Sample {
  server: string
  /** The pattern key by which the operator can refuse it. */
  key: string
  system: string | null
  messages: Array<{ role: 'user' | 'assistant', text: string }>
  maxTokens: number
}

/** What the model has said, or why it was not asked, in words for the server. `isFinal`: nothing else is to be asked for this call. */
export type Sampled = { text: string, model: string, isCut: boolean } | { refused: string, isFinal: boolean }

export interface ToolContext {
  /** Absolute, symlink-free path of the session's workspace. */
  workspace: string
  sessionId: string
  runId: string
  /** The id of this call; absent where it is none of a turn. */
  callId?: string
  /** Aborted when the turn is cancelled; a tool stops its work and its children then. */
  signal: AbortSignal
  /** `traceparent` for whoever is called for it (W3C Trace Context); absent: nobody is to be told of a trace. */
  traceparent?: string | undefined
  /** Environment for child processes: nothing of the service's secrets is in it. */
  childEnv: Record<string, string>
  /** True when the user has just approved this very call: paths outside the workspace are then permitted. */
  approved: boolean
  /** A person was shown this very call and has allowed it. */
  asked?: boolean
  /** What this call changes as the user was shown it (a FileStamp, or what `propose` says): of another one they have not been asked. */
  seen?: string
  /** Folders outside the workspace that may be read without asking. Absolute, symlink-free. */
  readable: readonly string[]
  /** The command is to run inside the sandbox. */
  confined: boolean
  /** Inside it the workspace can be read and not written. */
  readOnly?: boolean
  /** Folders a confined command must not see: the profile's home and the service's state. */
  hidden: readonly string[]
  /** Folders of the service's own program, which a confined command must not change. Default: none. */
  programs?: readonly string[]
  /** Repositories in the workspace, in which a confined command must not change what git runs. Default: the workspace's own. */
  repositories?: readonly string[]
  /** What a confined command may use, where it is not the default. */
  limits?: Partial<CommandLimits>
  /** How long a web page may take to be fetched. Default: as the tool finds right. */
  pageLimitMs?: number | null
  /** What the processes of commands are marked with, before a name of their own. */
  commandMark?: string
  /** Takes what the call prints, to be shown while it runs; the result says it again. Default: nobody is told. */
  output?: (chunk: Buffer) => void
  /** Asks the user; resolves with the answer, or null when nobody answered in time. */
  clarify (ask: Omit<ClarifyAsk, 'timeoutS'>): Promise<string | null>
  /** Tells the user something that happened in the middle of the call. */
  warn? (kind: string, message: string): void
  /**
   * Has the model of the turn answer an MCP server, once a person has allowed it. Aborting `signal`
   * takes the request back: the card is closed.
   */
  sample? (sample: Sample, signal: AbortSignal): Promise<Sampled>
  /** Lets a sub-agent do a task; resolves with its answer. */
  delegate (task: string): Promise<ToolResult>
  memory: MemoryAccess
  /** Searches earlier conversations. Throws ToolError when that cannot be done. */
  searchSessions (search: RequestBody<'session_search'>): Promise<RequestAnswer<'session_search'>>
  /** Has another model sum up what was found in earlier conversations; null where none is set for that, or it failed. */
  recall? (text: string): Promise<{ text: string, model: string } | null>
  /** Has another model take from a long text what matters for the request; null where none is set for that, or it failed. */
  /** True when a page at this address, to which one that was allowed has led, may be fetched without asking. Default: it may not. */
  mayFetch?: (url: string) => Promise<boolean>
  extract? (text: string): Promise<{ text: string, model: string } | null>
  skills: SkillAccess
  schedules: ScheduleAccess
  /** Puts a plan in the place of the session's. @param version the one that is replaced; null: whatever the agent has written last */
  savePlan (plan: string, version: number | null): Promise<ToolResult>
  /** Replaces the session's todo list. */
  setTodos (todos: TodoItem[]): void
}

/** What the web tier keeps and calls may change. */
export type Kept = Pick<ToolContext, 'memory' | 'skills' | 'schedules'>

/** An image that a tool has answered with; `data` in base64. */
export interface ToolImage { data: string, mediaType: string }

/**
 * Images are shown to a model for the rest of the turn; `text` says that they are there. `answer`: what a server has answered, whole, for
 * its own view.
 */
export interface ToolResult { text: string, isError?: boolean, images?: ToolImage[], answer?: unknown }

/** A capability the model can call. `run` may throw: the loop turns that into an error result the model sees. */
export interface Tool<Parameters extends TObject = TObject> {
  name: string
  description: string
  /** JSON Schema (TypeBox) of the arguments; arguments that do not fit never reach `run`. */
  parameters: Parameters
  /** What the call does at worst, when its targets say nothing more precise; `write` means files, `state` what the service keeps. */
  risk: 'none' | 'read' | 'write' | 'execute' | 'network' | 'state'
  targets (args: Static<Parameters>): ToolTargets
  /** One line for the tool card, at most 120 characters. */
  preview (args: Static<Parameters>): string
  /** What does not fit in arguments, in words for the model; default: `parameters` are checked, which must be TypeBox's then. */
  problem? (args: unknown): string | undefined
  /** The whole text that a call would put into a file, or send, for whoever is asked about it. */
  content? (args: Static<Parameters>): string
  /**
   * The whole text of the file that the call changes, as it would be then; `before` is null where
   * there is no such file. Throws as `run` does.
   */
  rewrite? (args: Static<Parameters>, before: string | null): string | Promise<string>
  /**
   * The same for a text that the web tier keeps, by the name that people know. `seen` is handed to `run` once the user has agreed. Nobody
   * is asked about what it throws a ToolError for.
   */
  propose? (args: Static<Parameters>, kept: Kept): Promise<{ path: string, before: string | null, after: string, seen: string }>
  run (args: Static<Parameters>, context: ToolContext): Promise<ToolResult>
}
