import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Page } from 'playwright-core'

let source: string | undefined

/** What axe-core finds wrong with the page as it is shown now: the rule, and where. */
export async function violations (page: Page): Promise<string[]> {
  // Half a megabyte, sent and compiled: once for each document.
  if (!await page.evaluate<boolean>('"axe" in window')) {
    source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    await page.evaluate(source)
  }
  return await page.evaluate<string[]>('axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ": " + target.join(" ") + " " + failureSummary)))')
}
