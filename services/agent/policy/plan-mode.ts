import { inEnglish } from '../../../reasons/index.js'
import { type Tool } from '../tools/tool.js'
import { type CommandReading } from './findings.js'

const rest = 'Plan mode is on: you may read and ask, and change nothing until the user starts the plan. ' +
  'Do not look for a way around this; put into the plan what is to be done.'

/** Environment for commands in plan mode, so that git writes no index when it only looks, and starts neither hooks nor a file monitor. */
export const planEnvironment: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.hooksPath',
  GIT_CONFIG_VALUE_0: '/dev/null',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false'
}

/** Matches settings whose programs git also runs when it only looks. Those of git-lfs then change nothing that belongs to the user. */
const runsInLooks = /^(?:diff\.external|diff\..+\.(?:textconv|command)|filter\..+\.(?:clean|process)|gpg\.(?:.+\.)?program|core\.alternaterefscommand)$/

/**
 * Returns why plan mode refuses a call, for the model; null if the call is known to change nothing and is judged like any other. Grants and
 * yolo do not count: nobody in the conversation can allow what is refused here while the mode is on.
 *
 * @param reading what the call's command line does; null if it has none
 * @param confined whether it runs in the sandbox, where nothing that it starts can change anything
 */
export function refusalInPlanMode (
  { tool, args }: { tool: Tool, args: Record<string, unknown> }, reading: CommandReading | null, confined: boolean
): string | null {
  const change = changeOf(tool, args, reading) ?? ownOfGit(reading, confined)
  return change === null ? null : `Refused: ${change}. ${rest}`
}

function ownOfGit (reading: CommandReading | null, confined: boolean): string | null {
  const first = reading?.gitRuns.find(({ code, params: { name, value } }) =>
    code === 'git_sets_to' && runsInLooks.test(String(name)) && !String(value).startsWith('git-lfs '))
  return first === undefined || confined ? null : `git would run a program that the settings of the repository name (${inEnglish(first).slice(0, 200)})`
}

function changeOf (tool: Tool, args: Record<string, unknown>, reading: CommandReading | null): string | null {
  const { command, paths = [], url, memory, skill, schedule, mcp } = tool.targets(args)
  const written = paths.find(({ access }) => access === 'write')
  if (written !== undefined) return `it would change ${written.path.slice(0, 200)}`
  if (memory !== undefined) return 'it would change the memory'
  if (skill !== undefined) return 'it would save a skill'
  if (schedule !== undefined) return 'it would change scheduled jobs'
  if (command !== undefined && (reading === null || reading.changes !== null || reading.unfinished)) {
    return `the command is not known to only read (${reading?.changes ?? 'it was not read'}). What only reads may run, such as cat, grep, rg, find, git log and git diff`
  }
  if (mcp !== undefined && mcp.onlyReads !== true) return `the MCP server does not say that ${mcp.tool} only reads`
  const isKnown = command !== undefined || paths.length > 0 || url !== undefined || mcp !== undefined
  return isKnown || tool.risk === 'none' || tool.risk === 'read' ? null : `it is not known that ${tool.name} changes nothing`
}
