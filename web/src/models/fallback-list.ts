import { type Wire } from '../core/service/api.js'

export type Fallback = Wire<'ModelFallbacks'>['fallbacks'][number]

/** What the service is sent for a list of fallbacks, together with the list it was made from. */
export function fallbacksBody (fallbacks: readonly Fallback[], version: string) {
  return { fallbacks: fallbacks.map(({ provider, model }) => ({ provider, model })), version }
}

/** One of them in another place; the list as it was where there is no such place. */
export function moved<Item> (list: readonly Item[], from: number, to: number): readonly Item[] {
  const item = list[from]
  return item === undefined || to < 0 || to >= list.length ? list : list.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** Two that name the same model, if in other words, are the same. */
export const fallbackKey = ({ provider, model }: Pick<Fallback, 'provider' | 'model'>): string => `${provider ?? ''} ${model ?? ''}`

/** A further one at the end; the list as it was where it is in it already. */
export function withFallback (list: readonly Fallback[], model: string, provider: string): readonly Fallback[] {
  const isThere = list.some((one) => one.provider === provider && one.model === model)
  return isThere ? list : [...list, { provider, model, means: null, problem: null }]
}
