/** What a profile's config.yaml says about how its turns run; values that make no sense count as absent. */
export interface TurnRules {
  /** `approvals.allow`, `approvals.deny`: pattern keys, with `*` for any text. */
  allowed: string[]
  denied: string[]
  /** `approvals.timeout`, `clarify.timeout`: seconds until an unanswered prompt expires; 0 = never. */
  approvalTimeoutS: number
  clarifyTimeoutS: number
  /** `terminal.sandbox`: off = commands are never confined, and always asked about. */
  sandbox: 'auto' | 'off'
  /** `terminal.memory_mb`, `terminal.processes`: what a command in the sandbox may use; absent = as the sandbox finds right. */
  commandLimits: { memoryBytes?: number, processes?: number }
  /** `compression.threshold`: part of the context window, 0 to 1; null when `compression.enabled` is false. */
  compressionThreshold: number | null
  /** `goals.max_turns` */
  goalTurns: number
}

const defaults = { approvalTimeoutS: 0, clarifyTimeoutS: 120, compressionThreshold: 0.5, goalTurns: 20 }
/** Timers take no more. */
const longestTimeoutS = 24 * 24 * 3600

export function turnRules (config: Record<string, unknown>): TurnRules {
  const section = (name: string): Record<string, unknown> => {
    const value = config[name]
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {}
  }
  const { allow, deny, timeout: approvalTimeout } = section('approvals')
  const { enabled, threshold } = section('compression')
  const { sandbox, memory_mb: memoryMb, processes } = section('terminal')
  const maxTurns = section('goals').max_turns
  return {
    allowed: texts(allow),
    denied: texts(deny),
    approvalTimeoutS: seconds(approvalTimeout) ?? defaults.approvalTimeoutS,
    clarifyTimeoutS: seconds(section('clarify').timeout) ?? defaults.clarifyTimeoutS,
    // YAML 1.1 files say `off`, which is false in some readers and a word in others.
    sandbox: sandbox === false || sandbox === 'off' || sandbox === 'none' ? 'off' : 'auto',
    commandLimits: {
      ...(isPositive(memoryMb) ? { memoryBytes: memoryMb * 1024 ** 2 } : {}),
      ...(isPositive(processes) ? { processes: Math.ceil(processes) } : {})
    },
    compressionThreshold: enabled === false ? null : typeof threshold === 'number' && threshold > 0 && threshold <= 1 ? threshold : defaults.compressionThreshold,
    goalTurns: typeof maxTurns === 'number' && maxTurns >= 1 ? Math.floor(maxTurns) : defaults.goalTurns
  }
}

function texts (value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string')
}

const isPositive = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0

/** Zero and less mean "never". */
function seconds (value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, value), longestTimeoutS) : undefined
}
