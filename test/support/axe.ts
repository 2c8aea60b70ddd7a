import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Page } from 'playwright-core'

let source: string | undefined

/** Returns what axe-core finds wrong with the page once all animations have ended: the rule, and where. */
export async function violations (page: Page): Promise<string[]> {
  // Half a megabyte to send and compile, so only once for each document.
  if (!await page.evaluate<boolean>('"axe" in window')) {
    source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    await page.evaluate(source)
  }
  await page.evaluate('Promise.all(document.getAnimations().filter((each) => each.effect.getTiming().iterations !== Infinity).map(({ finished }) => finished.catch(() => {})))')
  return await page.evaluate<string[]>('axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ": " + target.join(" ") + " " + failureSummary)))')
}
