import { nkeys } from '@nats-io/nats-core'
import { mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createSubjects } from '../services/ground/nats/subjects.js'
import { explained } from '../services/ground/database/index.js'
import { type SetupSettings } from './arguments.js'
import { inboxOf } from './machine.js'
import { CannotJoin } from './presence.js'

interface Rights { publish: string[], subscribe: string[] }

/**
 * What a machine may do: hear what is said to it, say what is from it, keep its own key, and use its own bucket of large things.
 * It makes no consumer but on that bucket, and reads, purges and changes no stream but that one.
 */
export function rightsOfMachine (prefix: string, name: string): Rights {
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
      `$JS.API.DIRECT.GET.${objects}.>`,
      `$JS.API.CONSUMER.CREATE.${objects}`,
      `$JS.API.CONSUMER.CREATE.${objects}.>`,
      `$JS.API.CONSUMER.INFO.${objects}.>`,
      `$JS.API.CONSUMER.DELETE.${objects}.>`,
      `$JS.API.CONSUMER.MSG.NEXT.${objects}.>`,
      `$JS.FC.${objects}.>`,
      `$JS.ACK.${objects}.>`
    ],
    subscribe: [subjects.allTo(name), subjects.allAsked(name), `${inboxOf(prefix, name)}.>`]
  }
}

/**
 * The service does all of it under its prefix. Names of streams are one word to the server, so it cannot tell those of a prefix from
 * others: services that do not trust each other need an account each.
 */
export function rightsOfService (prefix: string): Rights {
  return {
    publish: [`${prefix}.>`, `$KV.${prefix}-hosts.>`, '$O.>', '$JS.API.>', '$JS.FC.>', '$JS.ACK.>'],
    // No machine can be called so.
    subscribe: [`${prefix}.>`, `${inboxOf(prefix, 'service_')}.>`]
  }
}

/** Writes a configuration of a NATS server, and for each who uses it a file with its key, for its owner alone. Throws CannotJoin where one is there already. */
export async function writeSetup ({ names, output, tls, prefix }: SetupSettings): Promise<void> {
  await mkdir(output, { recursive: true, mode: 0o700 }).catch((error: unknown) => explained(output, () => { throw error }))
  const present = (await readdir(output)).find((file) => file === 'nats-server.conf' || file.endsWith('.nk'))
  if (present !== undefined) throw new CannotJoin(`There is a file ${join(output, present)} already; nothing was written. Choose another folder: keys that are replaced let nobody in any more.`)
  const users: string[] = []
  for (const { name, rights, file } of [
    { name: 'the service', rights: rightsOfService(prefix), file: 'service.nk' },
    ...names.map((name) => ({ name: `the machine ${name}`, rights: rightsOfMachine(prefix, name), file: `${fileOf(name)}` }))
  ]) {
    const pair = nkeys.createUser()
    await write(join(output, file), `${new TextDecoder().decode(pair.getSeed())}\n`)
    users.push(userLines(name, pair.getPublicKey(), rights))
  }
  await write(join(output, 'nats-server.conf'), configuration({ users, output, tls }))
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

function userLines (name: string, key: string, { publish, subscribe }: Rights): string {
  const list = (subjects: string[]): string => `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}`).join('\n')}\n        ]`
  return `    # ${name}
    {
      nkey: ${key}
      permissions: {
        publish: ${list(publish)}
        subscribe: ${list(subscribe)}
        # Who was asked may answer, once.
        allow_responses: { max: 1, expires: "5m" }
      }
    }`
}

function configuration ({ users, output, tls }: { users: string[], output: string, tls: boolean }): string {
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

authorization {
  users: [
${users.join('\n')}
  ]
}
`
}

/** What a person does next. */
export function startingLines ({ names, output, tls, prefix }: SetupSettings): string {
  const url = `${tls ? 'tls' : 'nats'}://${tls ? '<this machine>' : '127.0.0.1'}:4222`
  const more = `${prefix === 'agents' ? '' : ` --prefix ${prefix}`}${tls ? ' --ca ca.crt' : ''}`
  return [
    `Written to ${output}: nats-server.conf, service.nk and ${names.map(fileOf).join(', ')}.`,
    ...tls ? ['', 'Put server.crt and server.key beside it first (docs/hosts.md shows how they are made), and take ca.crt and its own .nk file to each machine.'] : [],
    '',
    `The NATS server:  nats-server -c ${join(output, 'nats-server.conf')}`,
    `The service:      SVC_NATS_URL=${url} SVC_NATS_CREDENTIALS=${join(output, 'service.nk')}${tls ? ` SVC_NATS_CA=${join(output, 'ca.crt')}` : ''}${prefix === 'agents' ? '' : ` SVC_NATS_PREFIX=${prefix}`} npm start`,
    ...names.map((name) => `The machine ${name}:  npm run host -- --nats ${url} --name ${name} --credentials ${tls ? fileOf(name) : join(output, fileOf(name))}${more} --workspaces <folder>`)
  ].join('\n')
}
