import { browserAt } from '../../../test/support/push-service.js'
import { httpFaults, type HttpFault } from './http-faults.js'
import { configure, eventually, get, isInWords, post, remove, type Site } from './site.js'

const settledLimitMs = 150_000
/** Maximum number of subscribed browsers. */
const mostBrowsers = 20

interface Job { id: string, last_run_at: unknown, last_delivery_error: string | null }
interface Subscription { id: string, last_sent_at: number | null, last_error: string | null }

/** Tries receivers of results: whatever one does to its webhook or push message delays no other, and each failure is reported in words. */
export async function tryReceivers (site: Site): Promise<void> {
  const { arena, arena: { tally, random } } = site
  configure(arena, { timezone: 'UTC' })
  const pushed = [...httpFaults].map((fault) => ({ fault, place: random.next() })).sort((one, other) => one.place - other.place)
    .slice(0, mostBrowsers).map(({ fault }) => fault)
  const browsers = new Map<string, HttpFault>()
  for (const fault of pushed) {
    const { status, body } = await post(site, '/api/push/subscriptions', browserAt(`${site.http.url(fault.name)}/send`).subscription)
    if (status === 200) browsers.set(body.subscription.id as string, fault)
    else tally.wrong(`push to "${fault.name}": the subscription is answered ${status} ${JSON.stringify(body)}`)
  }
  const jobs = new Map<string, HttpFault>()
  for (const fault of httpFaults) {
    const { body } = await post(site, '/api/crons/create', {
      prompt: 'words=3', schedule: '1d', name: `To ${fault.name}`, deliver: `webhook:${site.http.url(fault.name)}`
    })
    jobs.set(body.job.id as string, fault)
    await post(site, '/api/crons/run', { job_id: body.job.id })
  }
  tally.tried('faults', jobs.size + browsers.size)
  await eventually(async () => (await jobsOf(site)).every(({ id, last_run_at: ran, last_delivery_error: error }) =>
    ran !== null && (error !== null || jobs.get(id)?.taken === true)), settledLimitMs)
  for (const { id, last_delivery_error: error } of await jobsOf(site)) {
    const fault = jobs.get(id)
    if (fault === undefined) continue
    tally.checked()
    if (fault.taken === true ? error !== null && !isInWords(error) : !isInWords(error ?? '')) tally.wrong(`webhook to "${fault.name}": ${error}`)
  }
  await eventually(async () => (await subscriptionsOf(site)).every(({ last_sent_at: at, last_error: error }) =>
    at !== null || error !== null), settledLimitMs)
  for (const { id, last_sent_at: at, last_error: error } of await subscriptionsOf(site)) {
    const fault = browsers.get(id)
    tally.checked()
    if (at === null && !isInWords(error ?? '')) tally.wrong(`push to "${fault?.name}": sent ${at}, ${error}`)
  }
  for (const id of jobs.keys()) await post(site, '/api/crons/delete', { job_id: id })
  // Failed messages are retried as long as there is a subscription.
  for (const id of browsers.keys()) await remove(site, '/api/push/subscriptions', { id })
}

const jobsOf = async (site: Site): Promise<Job[]> => (await get(site, '/api/crons')).body.jobs as Job[]
const subscriptionsOf = async (site: Site): Promise<Subscription[]> => (await get(site, '/api/push')).body.subscriptions as Subscription[]
