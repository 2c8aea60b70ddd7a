import { type FastifyInstance } from 'fastify'

/**
 * Takes note of all routes that are registered from now on. Returns a function that returns the methods of a path, sorted; none if there is
 * no such path.
 */
export function collectMethods (app: FastifyInstance): (path: string) => string[] {
  const byUrl = new Map<string, Set<string>>()
  const patterns = new Map<string, RegExp>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = byUrl.get(url) ?? new Set()
    byUrl.set(url, methods)
    for (const each of [method].flat()) methods.add(each)
    if (/\/[:*]/.test(url)) patterns.set(url, pathsOf(url))
  })
  return (asked) => {
    // The router ignores a slash at the end, too.
    const path = asked.replace(/(?<=.)\/$/, '')
    const urls = [path, ...[...patterns].flatMap(([url, paths]) => paths.test(path) ? url : [])]
    return [...new Set(urls.flatMap((url) => [...byUrl.get(url) ?? []]))].toSorted()
  }
}

/** Returns the paths of a route: `:name` stands for one part, and `*` for the rest. */
function pathsOf (url: string): RegExp {
  const pattern = url.split('/').map((part) =>
    part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('/')
  return new RegExp(`^${pattern}$`)
}
