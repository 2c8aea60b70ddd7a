import { type ConfigFile } from '../../ground/home/config-schema.js'

/** The settings of a profile's config.yaml for its turns. */
export interface TurnRules {
  /** `approvals.allow`, `approvals.deny`: pattern keys, with `*` for any text. */
  allowed: string[]
  denied: string[]
  /** `approvals.timeout`, `clarify.timeout`: seconds until an unanswered prompt expires; 0 = never. */
  approvalTimeoutS: number
  clarifyTimeoutS: number
  /** `terminal.sandbox`: off = commands are never confined, and always asked about. */
  sandbox: 'auto' | 'off'
  /** `terminal.memory_mb`, `terminal.processes`: limits for a command in the sandbox; absent: the defaults of the sandbox. */
  commandLimits: { memoryBytes?: number, processes?: number }
  /** `auxiliary.web_extract.download_timeout`: how long fetching a page may take; null: the default of `web_fetch`. */
  pageLimitMs: number | null
  /** `compression.threshold`: fraction of the context window, 0 to 1; null when `compression.enabled` is false. */
  compressionThreshold: number | null
  /** `agent.on_limit`: what a turn does when its model reaches a limit of its provider. */
  onLimit: 'wait' | 'fall_back' | 'ask'
  /** `goals.max_turns` */
  goalTurns: number
}

const defaults = { approvalTimeoutS: 0, clarifyTimeoutS: 120, compressionThreshold: 0.5, goalTurns: 20 }
/** The most that timers support. */
const longestTimeoutS = 24 * 24 * 3600

export function turnRules ({
  agent = {}, approvals = {}, clarify = {}, compression = {}, goals = {}, terminal = {}, auxiliary = {}, fallback_providers: fallbacks
}: ConfigFile): TurnRules {
  const { memory_mb: memoryMb, processes, sandbox } = terminal
  const { download_timeout: pageS } = auxiliary.web_extract ?? {}
  return {
    allowed: [approvals.allow ?? []].flat(),
    denied: [approvals.deny ?? []].flat(),
    approvalTimeoutS: seconds(approvals.timeout ?? defaults.approvalTimeoutS),
    clarifyTimeoutS: seconds(clarify.timeout ?? defaults.clarifyTimeoutS),
    // YAML 1.1 files say `off`, which is false in some readers and a word in others.
    sandbox: sandbox === false || sandbox === 'off' || sandbox === 'none' ? 'off' : 'auto',
    commandLimits: {
      ...(memoryMb !== undefined && { memoryBytes: memoryMb * 1024 ** 2 }),
      ...(processes !== undefined && { processes: Math.ceil(processes) })
    },
    pageLimitMs: pageS === undefined ? null : pageS * 1_000,
    compressionThreshold: compression.enabled === false ? null : compression.threshold ?? defaults.compressionThreshold,
    // A person who names fallbacks wants them to be used.
    onLimit: agent.on_limit ?? (fallbacks === undefined || [fallbacks].flat().length === 0 ? 'wait' : 'fall_back'),
    goalTurns: goals.max_turns ?? defaults.goalTurns
  }
}

/** Converts seconds; zero and less mean "never". */
const seconds = (given: number): number => Math.min(Math.max(0, given), longestTimeoutS)
