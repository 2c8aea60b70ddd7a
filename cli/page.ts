import { optionsOf } from './arguments.js'
import { commands, programName } from './catalogue.js'
import { type CommandSpec } from './command.js'
import { exitsOf, usageOf, usualExits } from './help.js'

/** Returns the program's page of the documentation, in Markdown, generated from the help of its commands. */
export function commandLinePage (): string {
  return `# Command line

<!-- Written by \`npm run openapi\` from the help of the commands. -->

\`${programName}\` starts and administers the service on its own machine. In a clone it is \`node scripts/cli.js\`, once \`npm run build\` has run.
\`${programName} <command> --help\` shows the texts of this page.

${table(['Command', 'Does'], commands.map(({ name, summary }) => [`[\`${name}\`](#${anchorOf(name)})`, summary]))}

- **Commands use a socket of the running service** in its state folder (\`console/socket\`), which only the service's user can open. Nothing
  of this can be reached over the network. The audit log records changes with the actor \`console\`. Run commands as the user of the
  service, with the same \`SVC_HOME\` or \`--home\`.
- **If the service is not running**, \`reset-password\`, \`sessions\` and \`token\` work on its database and lock it meanwhile. \`backup\`,
  \`audit\` and \`doctor\` work whether or not the service is running.
- **Commands of the agent may not administer the service**: the sandbox has no socket, the policy refuses such commands outside of it as it
  refuses changes of the state folder, and the program refuses to run as a descendant of the agent.
- **\`--json\`** prints one JSON value on standard output. If a command fails, it is \`{"error": …, "exit_code": …}\`. The
  commands ${withoutJson()} do not have it: they print what another program writes, or run until they are stopped.

| Exit code | Means |
|---|---|
${Object.entries(usualExits).map(([code, means]) => `| ${code} | ${means} |`).join('\n')}

${commands.map(section).join('\n\n')}
`
}

function withoutJson (): string {
  return new Intl.ListFormat('en-GB').format(commands.filter((command) => !('json' in optionsOf(command))).map(({ name }) => `\`${name}\``))
}

const anchorOf = (name: string): string => name.replaceAll(' ', '-')

function section (command: CommandSpec): string {
  const { name, summary, examples, notes = [], exits } = command
  const options = Object.entries(optionsOf(command))
  return [
    `## ${name}`,
    `${summary}.`,
    `\`\`\`text\n${programName} ${usageOf(command)}\n\`\`\``,
    table(['Option', 'Meaning'], options.map(([option, { value, says }]) => [`\`--${option}${value === undefined ? '' : ` ${value}`}\``, says])),
    `\`\`\`bash\n${examples.map(([line, does]) => `${programName} ${line}  # ${does}`).join('\n')}\n\`\`\``,
    ...notes,
    ...(exits === undefined ? [] : [`Exit codes: ${exitsOf(command).filter(([code]) => code in exits).map(([code, means]) => `${code} ${means}`).join('; ')}.`])
  ].join('\n\n')
}

function table (headings: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), `|${headings.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
