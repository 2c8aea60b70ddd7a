// The Node that the service needs. (choose-node.js has its own copy: an image is built with that file alone.)
import { readFileSync } from 'node:fs'

export const neededNode = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).engines.node.replace('>=', '')

/** Whether the Node that runs this is new enough for the service. */
export function isNewEnough () {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [neededMajor, neededMinor] = neededNode.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}
