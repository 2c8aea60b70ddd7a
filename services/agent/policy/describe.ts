import { type Tool } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { type PolicyContext } from './context.js'
import { type Examination } from './examine.js'
import { schedulesKey, skillsKey } from './scopes.js'

/** What a call would do, in words for a person who may read them on a small screen. */
export function describe (
  tool: Tool, args: Record<string, unknown>, found: Examination, { sandboxed = false, limitedBy }: Pick<PolicyContext, 'sandboxed' | 'limitedBy'>,
  suspects: readonly string[] = []
): string {
  const isContainer = limitedBy === 'container'
  const isCommand = tool.targets(args).command !== undefined
  const remarks: string[] = []
  if (sandboxed && isCommand && !found.confined) {
    remarks.push(`${isContainer ? 'Goes beyond what the container allows commands unasked' : 'Leaves the sandbox'}: ${list(found.leaves)}.`)
  }
  if (found.confined && (found.unfinished || found.lasting.length > 0)) {
    const removes = found.unfinished ? 'may remove' : 'removes'
    remarks.push(`It stays in the ${isContainer ? 'container' : 'sandbox'}, but what it ${removes} there cannot be brought back.`)
  }
  if (found.opaque !== null && (!found.confined || found.unfinished)) {
    remarks.push(`What it does cannot be told in advance: ${found.opaque}.`)
  }
  if (!sandboxed || !isCommand) remarks.push(...pathRemarks(found.keys))
  if (isCommand && !found.confined && found.keys.some((key) => key.startsWith('git:own '))) {
    remarks.push(
      `This repository has hooks or settings by which git runs programs: ${gitRuns(found.gitRuns)}. A yes counts for them as they are now.`
    )
  }
  if (!sandboxed && isCommand) remarks.push(...hostRemark(found.keys))
  if (suspects.length > 0) {
    remarks.push(
      `Look at this first, as git may run it or follow it outside the sandbox, and a command in the sandbox has left it: ${suspects.join('; ')}.`
    )
  }
  const { why, mcp } = tool.targets(args)
  if (mcp?.isOther === true) remarks.push('The server describes this tool differently than when it was allowed.')
  if (mcp != null && mcp.says !== null) remarks.push(`The server says that it ${mcp.says}.`)
  if (why !== undefined) remarks.push(`The agent says why: “${oneLine(why, 300).replaceAll(/[“”]/g, '"')}”`)
  return sentences(summary(tool, args), remarks)
}

function summary (tool: Tool, args: Record<string, unknown>): string {
  const { command, cwd, paths, url, memory, skill, schedule, mcp } = tool.targets(args)
  // A tool is called what its server likes: the name ends where the quotes do.
  if (mcp !== undefined) {
    return `Use "${oneLine(mcp.tool, 150).replaceAll(/["“”]/g, "'")}" of the MCP server "${mcp.server}": ${tool.preview(args)}`
  }
  if (command !== undefined) return `Run a command${cwd === undefined ? '' : ` in ${oneLine(cwd, 100)}`}: ${oneLine(command, 300)}`
  if (url !== undefined) return `Fetch ${oneLine(url, 300)}`
  if (memory !== undefined) return `Change what the agent is told in every conversation: ${tool.preview(args)}`
  if (skill !== undefined) return `Save the skill ${oneLine(skill, 100)}`
  if (schedule !== undefined) return `Change the scheduled jobs: ${tool.preview(args)}`
  if (paths?.[0] === undefined) return `Use the tool ${tool.name}: ${tool.preview(args)}`
  const verb = paths.some(({ access }) => access === 'write') ? 'Write' : 'Read'
  return `${verb} ${oneLine(paths.map(({ path }) => path).join(', '), 300)}`
}

function pathRemarks (keys: readonly string[]): string[] {
  const remarks: string[] = []
  if (keys.includes(skillsKey)) remarks.push('Later conversations may follow what it says.')
  if (keys.includes(schedulesKey)) remarks.push('A job runs when nobody looks.')
  if (keys.includes('write:outside')) remarks.push('It may write outside the workspace.')
  else if (keys.includes('read:outside')) remarks.push('It reads outside the workspace.')
  if (keys.includes('write:protected')) remarks.push('It may change protected files: settings, keys, or files that run by themselves.')
  else if (keys.includes('read:protected')) remarks.push('It may read secrets: keys, passwords, or the state of this service.')
  return remarks
}

function hostRemark (keys: readonly string[]): string[] {
  const hosts = keys.flatMap((key) =>
    key.startsWith('net:') ? [key === 'net:unknown' ? 'an address that is not known yet' : key.slice('net:'.length)] : [])
  return hosts.length === 0 ? [] : [`It connects to ${list(hosts)}.`]
}

const maxReasons = 4
const maxGitRuns = 8

/** Quotes show where what others wrote ends. */
function gitRuns (words: readonly string[]): string {
  const shown = words.slice(0, maxGitRuns).map((word) => `“${oneLine(word, 200).replaceAll(/[“”]/g, '"')}”`)
  const left = words.length - shown.length
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

function list (reasons: readonly string[]): string {
  const shown = reasons.slice(0, maxReasons)
  return reasons.length > shown.length ? `${shown.join(', ')}, and more` : shown.join(', ')
}

function sentences (first: string, others: readonly string[]): string {
  return others.length === 0 ? first : [/[.!?…]$/.test(first) ? first : `${first}.`, ...others].join(' ')
}
