import { type Params, reason, type Reason } from '../../../reasons/index.js'
import { type Tool } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { type PolicyContext } from './context.js'
import { type Examination } from './examine.js'
import { schedulesKey, skillsKey } from './scopes.js'

/** Describes what a call would do, for a person who may read it on a small screen: first the call itself, then what else matters. */
export function describe (
  tool: Tool, args: Record<string, unknown>, found: Examination, { sandboxed = false, limitedBy }: Pick<PolicyContext, 'sandboxed' | 'limitedBy'>,
  suspects: readonly Reason[] = []
): Reason[] {
  const isContainer = limitedBy === 'container'
  const isCommand = tool.targets(args).command !== undefined
  const said = [action(tool, args)]
  if (sandboxed && isCommand && !found.confined) said.push(reason(isContainer ? 'exceeds_container' : 'leaves_sandbox', ...few(found.leaves)))
  if (found.confined && (found.unfinished || found.lasting.length > 0)) {
    said.push(reason(`${isContainer ? 'container' : 'sandbox'}_${found.unfinished ? 'may_remove' : 'removes'}`))
  }
  if (found.opaque !== null && (!found.confined || found.unfinished)) said.push(reason('unforeseeable', {}, [found.opaque]))
  if (!sandboxed || !isCommand) said.push(...pathRemarks(found.keys))
  if (!found.confined && found.links.length > 0) said.push(reason('follows_links', ...few(found.links.map(asQuoted))))
  if (isCommand && !found.confined && found.keys.some((key) => key.startsWith('git:own '))) {
    said.push(reason('git_runs_own', ...few(found.gitRuns.map(asQuoted), maxGitRuns)))
  }
  if (!sandboxed && isCommand) said.push(...hostRemark(found.keys))
  if (suspects.length > 0) said.push(reason('left_by_sandbox', {}, suspects))
  const { why, mcp } = tool.targets(args)
  if (mcp?.isOther === true) said.push(reason('mcp_tool_changed'))
  if (mcp != null && mcp.says !== null) said.push(reason(`mcp_says_${mcp.says}`))
  if (why !== undefined) said.push(reason('agent_says', { why: withoutQuotes(oneLine(why, 300)) }))
  return said
}

function action (tool: Tool, args: Record<string, unknown>): Reason {
  const { command, cwd, paths, url, memory, skill, schedule, mcp } = tool.targets(args)
  // The server chooses the tool's name. It must not contain the quotes that mark where the name ends.
  if (mcp !== undefined) {
    return reason('use_mcp_tool', { tool: oneLine(mcp.tool, 150).replaceAll(/["“”]/g, "'"), server: mcp.server, preview: tool.preview(args) })
  }
  if (command !== undefined) {
    return cwd === undefined
      ? reason('run_command', { command: oneLine(command, 300) })
      : reason('run_command_in', { folder: oneLine(cwd, 100), command: oneLine(command, 300) })
  }
  if (url !== undefined) return reason('fetch', { url: oneLine(url, 300) })
  if (memory !== undefined) return reason('change_memory', { preview: tool.preview(args) })
  if (skill !== undefined) return reason('save_skill', { name: oneLine(skill, 100) })
  if (schedule !== undefined) return reason('change_schedules', { preview: tool.preview(args) })
  if (paths?.[0] === undefined) return reason('use_tool', { tool: tool.name, preview: tool.preview(args) })
  return reason(paths.some(({ access }) => access === 'write') ? 'write_files' : 'read_files', {
    paths: oneLine(paths.map(({ path }) => path).join(', '), 300)
  })
}

function pathRemarks (keys: readonly string[]): Reason[] {
  const said: Reason[] = []
  if (keys.includes(skillsKey)) said.push(reason('followed_later'))
  if (keys.includes(schedulesKey)) said.push(reason('runs_unwatched'))
  if (keys.includes('write:outside')) said.push(reason('writes_outside'))
  else if (keys.includes('read:outside')) said.push(reason('reads_outside'))
  if (keys.includes('write:protected')) said.push(reason('changes_protected'))
  else if (keys.includes('read:protected')) said.push(reason('reads_secrets'))
  return said
}

function hostRemark (keys: readonly string[]): Reason[] {
  const hosts = keys.flatMap((key) => key.startsWith('net:')
    ? [key === 'net:unknown' ? reason('unknown_host') : reason('host', { host: key.slice('net:'.length) })]
    : [])
  return hosts.length === 0 ? [] : [reason('connects', ...few(hosts))]
}

const maxReasons = 4
const maxGitRuns = 8

/** Returns the first reasons, and how many are left out. */
function few (said: readonly Reason[], most = maxReasons): [params: { more: number }, details: readonly Reason[]] {
  return [{ more: Math.max(0, said.length - most) }, said.slice(0, most)]
}

/** Removes quotes from text that others wrote, because quotes mark where that text ends. */
function asQuoted ({ code, params }: Reason): Reason {
  const shown: Params = Object.fromEntries(Object.entries(params).map(([name, value]) =>
    [name, typeof value === 'string' ? withoutQuotes(oneLine(value, 200)) : value]))
  return { code, params: shown }
}

const withoutQuotes = (text: string): string => text.replaceAll(/[“”]/g, '"')
