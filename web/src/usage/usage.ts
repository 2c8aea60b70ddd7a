import { signal } from '@preact/signals'
import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { type Period } from './numbers.js'

export const period = signal<Period>(30)
export const insights = createResource(async () => await api.get('/api/insights', { days: String(period.value) }))
export const breakdown = createResource(async () => await api.get('/api/insights/breakdown', { days: String(period.value) }))
export const budgets = createResource(async () => await api.get('/api/budgets'))

let isFollowing = false
/** The shortest time between two reads of the figures, which change with every answer. */
const leastMs = 5_000
let soon: ReturnType<typeof setTimeout> | null = null

export function refreshUsage (): void {
  for (const one of [insights, breakdown, budgets]) void one.refresh()
}

/** Reads the usage, and again after turns and runs, until the returned function is called. */
export function followUsage (): () => void {
  refreshUsage()
  let isLooked = true
  if (!isFollowing) {
    isFollowing = true
    link.onFrame(({ event }) => { if (event === 'profile' || event === 'snapshot') void budgets.refresh() })
  }
  const leave = link.onFrame(({ event }) => {
    if (!isLooked || soon !== null || (event !== 'session' && event !== 'cron')) return
    soon = setTimeout(() => { soon = null; if (isLooked) refreshUsage() }, leastMs)
  })
  return () => { isLooked = false; leave() }
}
