import { type None } from './reason.js'

/** What a call would do, in one line without a full stop. */
export const actions = {
  change_memory: ({ preview }: { preview: string }) => `Change the memory that the agent reads in every chat: ${preview}`,
  change_schedules: ({ preview }: { preview: string }) => `Change the scheduled tasks: ${preview}`,
  fetch: ({ url }: { url: string }) => `Fetch ${url}`,
  read_files: ({ paths }: { paths: string }) => `Read ${paths}`,
  run_command: ({ command }: { command: string }) => `Run a command: ${command}`,
  run_command_in: ({ folder, command }: { folder: string, command: string }) => `Run a command in ${folder}: ${command}`,
  save_skill: ({ name }: { name: string }) => `Save the skill ${name}`,
  use_mcp_tool: ({ tool, server, preview }: { tool: string, server: string, preview: string }) =>
    `Use "${tool}" from the MCP server "${server}": ${preview}`,
  use_tool: ({ tool, preview }: { tool: string, preview: string }) => `Use the tool ${tool}: ${preview}`,
  write_files: ({ paths }: { paths: string }) => `Write ${paths}`
}

/** What a person should know about a call before answering, in whole sentences. `more` counts what a list leaves out. */
export const remarks = {
  agent_says: ({ why }: { why: string }) => `The agent gives this reason: “${why}”`,
  changes_protected: () => 'It may change protected files: settings, keys, or files that run automatically.',
  connects: ({ more }: { more: number }, hosts: readonly string[]) => `It connects to ${listed(hosts, more)}.`,
  container_may_remove: () => 'It stays in the container, but may delete something there that cannot be restored.',
  container_removes: () => 'It stays in the container, but what it deletes there cannot be restored.',
  exceeds_container: ({ more }: { more: number }, why: readonly string[]) =>
    `Exceeds what commands in the container may do without asking: ${clauses(why, more)}.`,
  followed_later: () => 'The agent may follow it in later chats.',
  follows_links: ({ more }: { more: number }, links: readonly string[]) => `It follows links: ${listed(links, more)}.`,
  git_runs_own: ({ more }: { more: number }, programs: readonly string[]) =>
    'Git may run programs that the hooks or settings of this repository name: ' +
    `${programs.map((one) => `“${one}”`).join(', ')}${more > 0 ? ` and ${more} more` : ''}. Your approval covers only their current content.`,
  leaves_sandbox: ({ more }: { more: number }, why: readonly string[]) => `Leaves the sandbox: ${clauses(why, more)}.`,
  left_by_sandbox: (_: None, found: readonly string[]) =>
    `A command in the sandbox left this: ${found.join('; ')}. Git may run or follow it outside the sandbox, so check it first. ` +
    'If you allow this command, you are not asked about it again until it changes.',
  mcp_says_adds: () => 'The server says that it only adds data.',
  mcp_says_destroys: () => 'The server says that it may destroy data.',
  mcp_says_reads: () => 'The server says that it only reads.',
  mcp_tool_changed: () => 'The server has changed the description of this tool since it was allowed.',
  reads_outside: () => 'It reads outside the workspace.',
  reads_secrets: () => 'It may read secrets: keys, passwords, or the data of this service.',
  runs_unwatched: () => 'A task runs while nobody is watching.',
  sandbox_may_remove: () => 'It stays in the sandbox, but may delete something there that cannot be restored.',
  sandbox_removes: () => 'It stays in the sandbox, but what it deletes there cannot be restored.',
  unforeseeable: (_: None, [why = '']: readonly string[]) => `Its effects cannot be checked in advance: ${why}.`,
  writes_outside: () => 'It may write outside the workspace.',

  host: ({ host }: { host: string }) => host,
  link_leads: ({ link, to }: { link: string, to: string }) => `“${link}” leads to “${to}”`,
  unknown_host: () => 'an address that is only known at run time'
}

/** Why the difference that a call would make is not shown, in whole sentences. */
export const missingDiffs = {
  diff_edit_unfit: () => 'This edit does not fit the file as it is now, so it would change nothing.',
  diff_file_too_long: ({ bytes }: { bytes: number }) => `The file has ${bytes} bytes, too many to be compared.`,
  diff_file_unreadable: () => 'The file cannot be read.',
  diff_text_too_large: () => 'The text is too large to be compared.',
  diff_too_many_changes: () => 'There are more changes than can be compared.',
  diff_unreadable: () => 'What would change cannot be read.'
}

/** Whole cards: what happened, what it could do, then what each answer means. */
export const cards = {
  command_changed: ({ name, path }: { name: string, path: string }) =>
    `/${name} (${path}) was changed by a command that ran without asking you. It may now tell the agent to do something else. ` +
    'Allow: the agent reads it as shown here. Deny: the agent does not read it, and is told so.',
  mcp_asks_model: ({ server, model, tokens }: { server: string, model: string, tokens: number }) =>
    `The MCP server "${server}" wants to ask ${model} the following during a tool call, for an answer of up to ${tokens} tokens. This counts ` +
    'towards your usage. Allow: the model sees only this text, not the chat, and has no tools; the server gets its answer. Deny: the server gets no answer.',
  rules_changed: () =>
    'The instructions of this workspace (AGENTS.md or similar) were changed by a command that ran without asking you. They may make the agent ' +
    'act differently. Allow: the new text applies from now on, as shown here. Deny: it does not apply in this turn.',
  settings_unaccepted: ({ agent }: { agent: string }) =>
    `This workspace contains settings for ${agent} that nobody has accepted in this version. They may let it act without asking, start ` +
    'programs and connect to other servers. Allow: they apply as shown here, until they change. Deny: the turn does not start.'
}

function listed (words: readonly string[], more: number): string {
  return more > 0 ? `${words.join(', ')}, and more` : words.join(', ')
}

/** Lists whole clauses, which have commas of their own. */
function clauses (words: readonly string[], more: number): string {
  return more > 0 ? `${words.join('; ')}, and more` : words.join('; ')
}
