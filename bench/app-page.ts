import { type Page } from 'playwright-core'

/** What a person would have seen of a page for a while: frame rate, longest frame and longest task. */
export interface Watched { framesPerSecond: number, worstFrameMs: number, longestTaskMs: number }

/** Measures the frame rate of a page, and how long it was busy at a stretch. */
export async function watchFrames (page: Page, forMs: number): Promise<Watched> {
  return await page.evaluate<Watched>(`new Promise((resolve) => {
    let frames = 0
    let worstFrameMs = 0
    let longestTaskMs = 0
    const tasks = new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration) })
    tasks.observe({ type: 'longtask' })
    const fromMs = performance.now()
    let lastMs = fromMs
    const count = () => {
      const nowMs = performance.now()
      worstFrameMs = Math.max(worstFrameMs, nowMs - lastMs)
      lastMs = nowMs
      frames++
      if (nowMs - fromMs < ${forMs}) return requestAnimationFrame(count)
      tasks.disconnect()
      resolve({ framesPerSecond: frames / (nowMs - fromMs) * 1000, worstFrameMs, longestTaskMs })
    }
    requestAnimationFrame(count)
  })`)
}

/** Collects in `window.inputs` the name of each input event and the time from it to the next paint, in ms, in steps of 8. */
export const watchInput = `window.inputs = []
new PerformanceObserver((list) => { for (const { name, duration } of list.getEntries()) window.inputs.push([name, duration]) }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

/**
 * Notes inside the page, in `window.shown`, when the picture was drawn in which `condition` first held, in ms since the page was asked for.
 * A look from outside would delay what it measures, as its code runs on the same slow processor.
 */
export const noteShown = (name: string, condition: string): string => `window.shown ??= {}
window.shown['${name}'] = new Promise((resolve) => {
  const look = () => {
    if (!(${condition})) return
    seen.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  }
  const seen = new MutationObserver(look)
  seen.observe(document, { childList: true, subtree: true, characterData: true })
  look()
})
undefined`

/** Resolves with the time that `noteShown` has noted. */
export const whenShown = async (page: Page, name: string): Promise<number> => await page.evaluate<number>(`window.shown['${name}']`)
