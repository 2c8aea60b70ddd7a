import { nkeys } from '@nats-io/nats-core'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSubjects } from '../services/ground/nats/subjects.js'
import { commandLine } from '../services/ground/command-line.js'
import { explained } from '../services/ground/database/index.js'
import { type SetupSettings } from './arguments.js'
import { inboxOf } from './machine.js'
import { CannotJoin } from './presence.js'

interface Rights { publish: string[], subscribe: string[] }

/** The account of the service; names of machines, which are those of their accounts, have no capitals. */
const serviceAccount = 'SERVICE'

/**
 * What a machine may do: hear what is said to it, say what is from it, keep its own key, and use its own bucket of large things.
 *
 * Rights alone do not keep it at that: whoever may ask a server's stream for anything names where the answer goes, and the server sends it
 * there past the rights of who has asked, be it to another machine or to the interface that deletes streams. So each machine has an account
 * of its own, in which there is nobody else: `publish` is all that leaves it for the account of the service, and `subscribe` all that gets
 * in; answers go back to where the question came from. Consumers name a subject of the stream's own account, so it may make none.
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
 * The service does all of it under its prefix. Names of streams are one word to the server, so it cannot tell those of a prefix from
 * others: services that do not trust each other need an account each.
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
 * Writes a configuration of a NATS server, and for each who uses it a file with its key, for its owner alone; with `add`, of machines that
 * join what is there. Throws CannotJoin where a file is there already, or is not what is to be added to.
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
  await mkdir(output, { recursive: true, mode: 0o700 }).catch((error: unknown) => explained(output, () => { throw error }))
  const present = (await readdir(output)).find((file) => file === configurationFile || file.endsWith('.nk'))
  if (present !== undefined) {
    throw new CannotJoin(`${join(output, present)} already exists; nothing was written. Choose another folder, or add machines with --add: replacing keys would lock out the machines that use them.`)
  }
  const service = await key('service.nk')
  await write(join(output, configurationFile), `${serverLines({ output, tls })}${accountLines(prefix, service, await machines())}`)
}

/** What stands in front of the accounts stays as it is. */
async function extend (output: string, names: readonly string[], made: () => Promise<Machine[]>): Promise<void> {
  const path = join(output, configurationFile)
  const written = await readFile(path, 'utf8').catch(() => '')
  const known = [
    ...written.matchAll(/^ {2}([\w-]+) \{\n(?: {4}jetstream: enabled\n)? {4}users: \[\n {6}\{\n {8}nkey: (U[A-Z2-7]{55})\n/gm)
  ].map(([, name = '', key = '']) => ({ name, key }))
  const service = known.find(({ name }) => name === serviceAccount)
  const [, prefix] = /^ {12}"([\w-]+)\.>"$/m.exec(written) ?? []
  if (service === undefined || prefix === undefined) {
    throw new CannotJoin(`${path} is missing, or not as setup wrote it. Nothing was changed.`)
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
      '# Who was asked may answer, once.',
      'allow_responses: { max: 1, expires: "5m" }'
    ], '}')
  ], '}'), ']')
}

const accountsBegin = '# Accounts, as setup has written them.'

/** What each account lets others ask of it, and asks of them: both sides have to say so. */
function accountLines (prefix: string, serviceKey: string, machines: readonly Machine[]): string {
  const exported = (subject: string, to: string): string => `{ service: ${JSON.stringify(subject)}, accounts: [${to}] }`
  const imported = (subject: string, from: string): string => `{ service: { account: ${from}, subject: ${JSON.stringify(subject)} } }`
  const accounts = machines.map((machine) => ({ ...machine, rights: rightsOfMachine(prefix, machine.name) }))
  const lines = block('accounts {', [
    ...block(`${serviceAccount} {`, [
      'jetstream: enabled',
      // No machine can be called so.
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

/** What a person does next. */
export function startingLines ({ names, output, tls, prefix, add = false }: SetupSettings): string {
  if (add) {
    return `Added to ${join(output, configurationFile)}, with ${names.map(fileOf).join(', ')} beside it. The server takes it over with: nats-server --signal reload`
  }
  const url = `${tls ? 'tls' : 'nats'}://${tls ? '<this machine>' : '127.0.0.1'}:4222`
  const more = `${prefix === 'agents' ? '' : ` --prefix ${prefix}`}${tls ? ' --ca ca.crt' : ''}`
  return [
    `Written to ${output}: nats-server.conf, service.nk and ${names.map(fileOf).join(', ')}.`,
    ...tls
      ? [
          '',
          'Put server.crt and server.key beside it first (docs/machines.md shows how they are made), and take ca.crt and its own .nk file to each machine.'
        ]
      : [],
    '',
    `The NATS server:  nats-server -c ${join(output, 'nats-server.conf')}`,
    `The service:      SVC_NATS_URL=${url} SVC_NATS_CREDENTIALS=${join(output, 'service.nk')}${tls ? ` SVC_NATS_CA=${join(output, 'ca.crt')}` : ''}${prefix === 'agents' ? '' : ` SVC_NATS_PREFIX=${prefix}`} ${commandLine('start')}`,
    ...names.map((name) => `The machine ${name}:  ${commandLine(`machine --nats ${url} --name ${name} --credentials ${tls ? fileOf(name) : join(output, fileOf(name))}${more} --workspaces <folder>`)}`)
  ].join('\n')
}
