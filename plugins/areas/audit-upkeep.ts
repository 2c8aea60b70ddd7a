import { randomBytes } from 'node:crypto'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createAuditSending, entryToWire, sendToSyslog, type Destination } from '../../services/areas/audit/index.js'
import { sendWebhook } from '../../services/areas/crons/index.js'
import { createQueue } from '../../services/ground/concurrency/queue.js'
import { readProfileSettings } from '../../services/ground/home/settings.js'
import { regularly } from '../ground/regularly.js'

const trimEveryMs = 3_600_000
/** The key that signs what is sent, a variable in the `.env` of the default profile. */
const secretVariable = 'AUDIT_WEBHOOK_SECRET'
const usualDays = 365

/** Maintains the audit log by the default profile's config.yaml: removes the oldest entries, and sends new ones. */
export default fp(async (app: FastifyInstance) => {
  const { audit, clock, config, db, profiles } = app
  const settings = () => readProfileSettings(config.home, config.env)
  const inTurn = createQueue()

  async function secret (): Promise<string> {
    return await inTurn('secret', async () => {
      const known = settings().env[secretVariable]
      if (known !== undefined && known !== '') return known
      const made = randomBytes(32).toString('hex')
      const own = profiles.list().find(({ home }) => home === config.home)
      if (own !== undefined) await profiles.setVariable(own.name, secretVariable, made)
      return made
    })
  }

  const webhook: Destination = {
    key: 'audit_webhook',
    name: 'webhook',
    target: () => settings().config.audit?.webhook ?? null,
    async post (target, entries, signal) {
      const id = randomBytes(8).toString('hex')
      const body = `{"event":"audit","delivery_id":"${id}","entries":[${entries.map(entryToWire).join(',')}]}`
      const attempt = await sendWebhook(target, { id, body, signal, secret: await secret(), isPrivateAllowed: config.webhookPrivate })
      if (!attempt.ok) throw new Error(attempt.reason)
    }
  }
  const syslog: Destination = {
    key: 'audit_syslog',
    name: 'syslog',
    target: () => config.auditSyslog === null ? null : JSON.stringify(config.auditSyslog),
    post: async (_target, entries, signal) => { if (config.auditSyslog !== null) await sendToSyslog(config.auditSyslog, entries, signal) }
  }
  const sendings = [webhook, syslog].map((destination) =>
    createAuditSending({ db, clock, audit, destination, log: (message, details) => app.log.warn(details, message) }))
  const look = (): void => {
    for (const sending of sendings) {
      sending.look().catch((error: unknown) => app.log.warn({ reason: String(error) }, 'the recipients of the audit log could not be stored'))
    }
  }
  profiles.on('changed', (_name, { home }) => { if (home === config.home) look() })
  app.addHook('onReady', async () => look())
  app.addHook('onClose', async () => { await Promise.all(sendings.map((sending) => sending.stop())) })
  regularly(app, trimEveryMs, 'old entries of the audit log could not be removed', async () => {
    while (await audit.trim(settings().config.audit?.keep_days ?? usualDays));
  })
}, { name: 'audit-upkeep', dependencies: ['audit', 'config', 'crons', 'database', 'profiles'] })
