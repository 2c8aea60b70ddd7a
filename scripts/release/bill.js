// The bill of materials of a published file, as CycloneDX 1.6 in JSON. `npm sbom` lists what is installed here; this lists what is shipped.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf } from '../packages.js'

/**
 * Writes the bill of materials for a file that is published under `name`. `more`: components that are not packages of the
 * build, such as Node.
 */
export function writeBill (out, { name, build, more = [] }) {
  const { name: program, version, license } = manifestOf('.')
  const { packages } = manifestOf(build, 'third-party.json')
  const locked = lockedPackages()
  const components = [...packages.map(({ name, version, licence }) => componentOf({
    name, version, licence, integrity: locked.get(`${name}@${version}`)
  })), ...more.map(componentOf)]
  const ref = purlOf(program, version)
  writeFileSync(join(out, `${name}.cdx.json`), `${JSON.stringify({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: { type: 'application', 'bom-ref': ref, name: program, version, purl: ref, licenses: [{ expression: license }] }
    },
    components,
    dependencies: [{ ref, dependsOn: components.map((component) => component['bom-ref']) }]
  }, null, 2)}\n`)
}

function componentOf ({ name, version, licence, integrity }) {
  const purl = purlOf(name, version)
  const component = { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ expression: licence }] }
  if (integrity === undefined) return component
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
  return { ...component, hashes: [{ alg: 'SHA-512', content }] }
}

/** Returns the checksums of packed packages, by name and version. */
function lockedPackages () {
  const { packages } = manifestOf('.', 'package-lock.json')
  return new Map(Object.entries(packages).filter(([, { integrity }]) => integrity?.startsWith('sha512-'))
    .map(([path, { version, integrity }]) => [`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`, integrity]))
}

const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`
