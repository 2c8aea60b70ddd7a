import { useEffect, useMemo } from 'preact/hooks'
import { createResource, type Resource } from '../core/service/resource.js'

/**
 * A resource of one view: read when the view is shown, and again when `again` changes, while what was read stays on the screen. Where `of`
 * changes it is about something else, and begins empty. `Loaded` may show it: what both ask for at first is one request.
 */
export function useReading<Value> (
  read: () => Promise<Value>, of: readonly unknown[], again: readonly unknown[] = []
): Resource<Value> {
  const resource = useMemo(() => createResource(read), of)
  useEffect(() => { void resource.refresh() }, [resource, ...again])
  return resource
}
