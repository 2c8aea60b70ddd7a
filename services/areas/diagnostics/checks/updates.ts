import { type Updates } from '../../updates/index.js'
import { type Check, type Finding, coded, ok, skipped, warning } from '../check.js'

/** How the last update went, and what the last check for updates found. Sends no request. */
export function updatesCheck ({ last }: Pick<Updates, 'last'>): Check {
  return { id: 'updates', group: 'service', title: 'Updates', run: () => judge(last()) }
}

function judge (seen: ReturnType<Updates['last']>): Finding {
  if (seen === null) return coded(skipped('Checks for updates are switched off.'), 'updates_off')
  if (seen.lastUpdate?.ok === false) return warning(`The last update failed: ${seen.lastUpdate.message}`, 'Settings → About tries it again.')
  const { webui } = seen
  if (webui === null) return coded(skipped('No one has checked for updates yet.', 'Check for updates under Settings → About.'), 'updates_unchecked')
  if ('no_git' in webui) return skipped(webui.message)
  if ('error' in webui) {
    const fix = webui.current_sha === undefined ? 'Check that npm reaches its registry:\nnpm ping' : 'Check the remote of the checkout:\ngit fetch'
    return warning(`The last check for updates failed: ${webui.error}`, fix)
  }
  if (webui.behind === 0) return coded(ok('This was the newest version at the last check.'), 'updates_current')
  return warning(`${webui.latest_version ?? 'A newer version'} is available.`, webui.command === undefined ? 'Install it under Settings → About.' : `Stop the service, and run:\n${webui.command}`)
}
