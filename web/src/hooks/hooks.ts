import { signal } from '@preact/signals'
import { api, link } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { type Wire } from '../core/service/api.js'

export type Hook = Wire<'Hook'>

/** The hooks of the profile, updated by the feed. */
export const hooks = createResource(async () => (await api.get('/api/hooks')).hooks)

/** Hooks that will be deleted once the offer to undo is gone. */
export const leaving = signal<ReadonlySet<string>>(new Set())

/** Secrets that the service shows only once, by hook, until the person dismisses them or leaves. */
export const secrets = signal<ReadonlyMap<string, string>>(new Map())

export function keepSecret (id: string, secret: string | null): void {
  const kept = new Map(secrets.peek())
  if (secret === null) kept.delete(id)
  else kept.set(id, secret)
  secrets.value = kept
}

let isFollowing = false

/** Reads the hooks, and again after each change. A call that starts a run is reported as its job. */
export function followHooks (): void {
  void hooks.refresh()
  if (isFollowing) return
  isFollowing = true
  link.onFrame(({ event }) => { if (event === 'cron' || event === 'profile' || event === 'snapshot') void hooks.refresh() })
}

/** Returns the address of a hook, as this browser reaches the service. */
export const addressOf = ({ path }: Pick<Hook, 'path'>): string => new URL(api.url(path), location.href).href

/** Returns whether an address cannot be reached from outside of this machine. */
export function isNear (address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname)
}
