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
