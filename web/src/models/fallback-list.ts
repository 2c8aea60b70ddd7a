import { type Wire } from '../core/service/api.js'

export type Fallback = Wire<'ModelFallbacks'>['fallbacks'][number]

/** Returns the request for a list of fallbacks, with the version that it is based on. */
export function fallbacksBody (fallbacks: readonly Fallback[], version: string) {
  return { fallbacks: fallbacks.map(({ provider, model }) => ({ provider, model })), version }
}

/** Returns the list with one item moved; unchanged if the position does not exist. */
export function moved<Item> (list: readonly Item[], from: number, to: number): readonly Item[] {
  const item = list[from]
  return item === undefined || to < 0 || to >= list.length ? list : list.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** Returns a key that is equal for two entries of the same model. */
export const fallbackKey = ({ provider, model }: Pick<Fallback, 'provider' | 'model'>): string => `${provider ?? ''} ${model ?? ''}`

/** Returns the list with one more fallback at the end; unchanged if it already contains it. */
export function withFallback (list: readonly Fallback[], model: string, provider: string): readonly Fallback[] {
  const isThere = list.some((one) => one.provider === provider && one.model === model)
  return isThere ? list : [...list, { provider, model, means: null, problem: null }]
}
