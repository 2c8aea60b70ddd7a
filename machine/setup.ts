import { nkeys } from '@nats-io/nats-core'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSubjects } from '../services/ground/nats/subjects.js'
import { commandLine } from '../services/ground/command-line.js'
import { makeFolder } from '../services/ground/database/index.js'
import { type SetupSettings } from './arguments.js'
import { inboxOf } from './machine.js'
import { CannotJoin } from './presence.js'

interface Rights { publish: string[], subscribe: string[] }

/** The account of the service. It cannot be the name of a machine's account, because those have no capitals. */
const serviceAccount = 'SERVICE'

/**
 * Returns what a machine may do: receive messages to it, send its own, hold its own key, and use its own bucket for large messages.
 *
 * Permissions alone are not enough: a client that may send requests to a stream chooses the subject of the answer, and the server sends it
 * there regardless of the client's permissions, even to another machine or to the API that deletes streams. So each machine has an account
 * of its own, without other users: only `publish` leaves it for the account of the service, only `subscribe` comes in, and answers go back
 * to where the question came from. Consumers choose a subject of the stream's own account, so a machine may not create any.
 */
function rightsOfMachine (prefix: string, name: string): Rights {
  const subjects = createSubjects(prefix)
  const objects = `OBJ_${subjects.objects(name)}`
  const presence = `KV_${subjects.presence}`
  return {
    publish: [
      `${prefix}.from.${name}.>`,
      subjects.allNotices(name),
      `$KV.${subjects.presence}.${name}`,
      `$JS.API.DIRECT.GET.${presence}.$KV.${subjects.presence}.${name}`,
      '$JS.API.INFO',
      `$O.${subjects.objects(name)}.>`,
      `$JS.API.STREAM.INFO.${objects}`,
      `$JS.API.STREAM.PURGE.${objects}`,
      `$JS.API.STREAM.MSG.GET.${objects}`,
      `$JS.API.DIRECT.GET.${objects}`,
      `$JS.API.DIRECT.GET.${objects}.>`
    ],
    subscribe: [subjects.allTo(name), subjects.allAsked(name)]
  }
}

/**
 * Returns what the service may do: everything under its prefix. To the server, the name of a stream is a single word, so permissions cannot
 * be limited to the streams of a prefix: services that do not trust each other need an account each.
 */
function rightsOfService (prefix: string): Rights {
  return {
    publish: [`${prefix}.>`, `$KV.${prefix}-hosts.>`, '$O.>', '$JS.API.>', '$JS.FC.>', '$JS.ACK.>'],
    subscribe: [`${prefix}.>`]
  }
}

interface Machine { name: string, key: string }

const configurationFile = 'nats-server.conf'

/**
 * Writes the configuration of a NATS server, and a key file for each of its users, readable only by its owner. With `add`, adds machines to
 * an existing configuration. Throws CannotJoin if a file already exists, or if the configuration is not one that setup wrote.
 */
export async function writeSetup ({ names, output, tls, prefix, add = false }: SetupSettings): Promise<void> {
  const key = async (file: string): Promise<string> => {
    const pair = nkeys.createUser()
    await write(join(output, file), `${new TextDecoder().decode(pair.getSeed())}\n`)
    return pair.getPublicKey()
  }
  const machines = async (): Promise<Machine[]> => {
    const made: Machine[] = []
    for (const name of names) made.push({ name, key: await key(fileOf(name)) })
    return made
  }
  if (add) return await extend(output, names, machines)
  makeFolder(output)
  const present = (await readdir(output)).find((file) => file === configurationFile || file.endsWith('.nk'))
  if (present !== undefined) {
    throw new CannotJoin(`${join(output, present)} already exists; nothing was written. Choose another folder, or add machines with --add: replacing keys would lock out the machines that use them.`)
  }
  const service = await key('service.nk')
  await write(join(output, configurationFile), `${serverLines({ output, tls })}${accountLines(prefix, service, await machines())}`)
}

/** Adds machines to a configuration. Everything before the accounts stays unchanged. */
async function extend (output: string, names: readonly string[], made: () => Promise<Machine[]>): Promise<void> {
  const path = join(output, configurationFile)
  const written = await readFile(path, 'utf8').catch(() => '')
  const known = [
    ...written.matchAll(/^ {2}([\w-]+) \{\n(?: {4}jetstream: enabled\n)? {4}users: \[\n {6}\{\n {8}nkey: (U[A-Z2-7]{55})\n/gm)
  ].map(([, name = '', key = '']) => ({ name, key }))
  const service = known.find(({ name }) => name === serviceAccount)
  const [, prefix] = /^ {12}"([\w-]+)\.>"$/m.exec(written) ?? []
  if (service === undefined || prefix === undefined) {
    throw new CannotJoin(`${path} is missing, or was not written by setup. Nothing was changed.`)
  }
  const present = (await readdir(output)).find((file) => names.some((name) => fileOf(name) === file))
  if (present !== undefined) {
    throw new CannotJoin(
      `${join(output, present)} already exists; nothing was changed. Move it away first: a new key replaces the previous one.`
    )
  }
  const machines = [...known.filter(({ name }) => name !== serviceAccount && !names.includes(name)), ...await made()]
  const next = `${path}.new`
  await rm(next, { force: true })
  await write(next, `${written.slice(0, written.indexOf(accountsBegin))}${accountLines(prefix, service.key, machines)}`)
  await rename(next, path)
}

const fileOf = (name: string): string => `host-${name}.nk`

async function write (path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

const block = (open: string, lines: readonly string[], close: string): string[] => [open, ...lines.map((line) => `  ${line}`), close]

function userLines (key: string, inbox: string, { publish, subscribe }: Rights): string[] {
  const list = (name: string, subjects: readonly string[]): string[] =>
    block(`${name}: [`, subjects.map((subject) => JSON.stringify(subject)), ']')
  return block('users: [', block('{', [
    `nkey: ${key}`,
    ...block('permissions: {', [
      ...list('publish', publish),
      ...list('subscribe', [...subscribe, `${inbox}.>`]),
      '# Whoever was asked may answer once.',
      'allow_responses: { max: 1, expires: "5m" }'
    ], '}')
  ], '}'), ']')
}

const accountsBegin = '# Accounts, as setup has written them.'

/** Returns the accounts with their exports and imports; each subject must be exported by one account and imported by the other. */
function accountLines (prefix: string, serviceKey: string, machines: readonly Machine[]): string {
  const exported = (subject: string, to: string): string => `{ service: ${JSON.stringify(subject)}, accounts: [${to}] }`
  const imported = (subject: string, from: string): string => `{ service: { account: ${from}, subject: ${JSON.stringify(subject)} } }`
  const accounts = machines.map((machine) => ({ ...machine, rights: rightsOfMachine(prefix, machine.name) }))
  const lines = block('accounts {', [
    ...block(`${serviceAccount} {`, [
      'jetstream: enabled',
      // No machine can have this name.
      ...userLines(serviceKey, inboxOf(prefix, 'service_'), rightsOfService(prefix)),
      ...block('exports: [', accounts.flatMap(({ name, rights }) =>
        [`# ${name}`, ...rights.publish.map((subject) => exported(subject, name))]), ']'),
      ...block('imports: [', accounts.flatMap(({ name, rights }) =>
        [`# ${name}`, ...rights.subscribe.map((subject) => imported(subject, name))]), ']')
    ], '}'),
    ...accounts.flatMap(({ name, key, rights }) => block(`${name} {`, [
      ...userLines(key, inboxOf(prefix, name), rights),
      ...block('exports: [', rights.subscribe.map((subject) => exported(subject, serviceAccount)), ']'),
      ...block('imports: [', rights.publish.map((subject) => imported(subject, serviceAccount)), ']')
    ], '}'))
  ], '}')
  return `${accountsBegin}\n${lines.join('\n')}\n`
}

function serverLines ({ output, tls }: { output: string, tls: boolean }): string {
  return `# A NATS server for one service and its machines. It holds no secret: keys here are public ones.
# Without TLS it listens to this machine alone.
${tls
  ? `listen: "0.0.0.0:4222"
tls {
  cert_file: ${JSON.stringify(join(output, 'server.crt'))}
  key_file: ${JSON.stringify(join(output, 'server.key'))}
}`
  : 'listen: "127.0.0.1:4222"'}

jetstream {
  store_dir: ${JSON.stringify(join(output, 'jetstream'))}
  # What runs say until the service has stored it, and large things on their way.
  max_file_store: 8G
}

`
}

/** Returns what the person has to do next. */
export function startingLines ({ names, output, tls, prefix, add = false }: SetupSettings): string {
  if (add) {
    return `Added to ${join(output, configurationFile)}, with ${names.map(fileOf).join(', ')} beside it. Load it into the server: nats-server --signal reload`
  }
  const url = `${tls ? 'tls' : 'nats'}://${tls ? '<this machine>' : '127.0.0.1'}:4222`
  const more = `${prefix === 'agents' ? '' : ` --prefix ${prefix}`}${tls ? ' --ca ca.crt' : ''}`
  return [
    `Written to ${output}: nats-server.conf, service.nk and ${names.map(fileOf).join(', ')}.`,
    ...tls
      ? [
          '',
          'First put server.crt and server.key beside it (docs/machines.md shows how to create them), and copy ca.crt and its own .nk file to each machine.'
        ]
      : [],
    '',
    `The NATS server:  nats-server -c ${join(output, 'nats-server.conf')}`,
    `The service:      SVC_NATS_URL=${url} SVC_NATS_CREDENTIALS=${join(output, 'service.nk')}${tls ? ` SVC_NATS_CA=${join(output, 'ca.crt')}` : ''}${prefix === 'agents' ? '' : ` SVC_NATS_PREFIX=${prefix}`} ${commandLine('start')}`,
    ...names.map((name) => `The machine ${name}:  ${commandLine(`machine --nats ${url} --name ${name} --credentials ${tls ? fileOf(name) : join(output, fileOf(name))}${more} --workspaces <folder>`)}`)
  ].join('\n')
}
