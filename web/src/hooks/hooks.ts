import { signal } from '@preact/signals'
import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { type Wire } from '../core/service/api.js'

export type Hook = Wire<'Hook'>

/** The hooks of the profile, updated by the feed. */
export const hooks = createResource(async () => (await api.get('/api/hooks')).hooks)

/** Hooks that are deleted as soon as nobody can take it back any more. */
export const leaving = signal<ReadonlySet<string>>(new Set())

/** Secrets that the service has shown once, by their hooks, until the person has put them away or leaves. */
export const secrets = signal<ReadonlyMap<string, string>>(new Map())

export function keepSecret (id: string, secret: string | null): void {
  const kept = new Map(secrets.peek())
  if (secret === null) kept.delete(id)
  else kept.set(id, secret)
  secrets.value = kept
}

let isFollowing = false

/** Reads the hooks, and again after each change: a call that starts a run is told of as its job. */
export function followHooks (): void {
  void hooks.refresh()
  if (isFollowing) return
  isFollowing = true
  link.onFrame(({ event }) => { if (event === 'cron' || event === 'profile' || event === 'snapshot') void hooks.refresh() })
}

/** Where a hook is called, as this browser reaches the service. */
export const addressOf = ({ path }: Pick<Hook, 'path'>): string => new URL(api.url(path), location.href).href

/** Whether nobody outside of this machine can reach an address. */
export function isNear (address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname)
}
