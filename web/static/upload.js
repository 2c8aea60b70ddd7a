/* global FormData, XMLHttpRequest */
import { ApiError, signIn, tokenHeaders } from './api.js'

const brokenOff = 'The upload broke off: the connection was lost, or the file is larger than the service takes.'

/**
 * Sends one file. `fetch` tells nothing of what has been sent, so this is the older interface.
 * @param {object} options
 * @param {string} options.path of the service
 * @param {Record<string, string>} options.fields
 * @param {File} options.file
 * @param {(share: number) => void} [options.onProgress] from 0 to 1; at 1 the service still has to answer
 * @returns {{ answer: Promise<any>, abort: () => void }} the JSON answer; rejects with ApiError, `aborted` after an abort
 */
export function upload ({ path, fields, file, onProgress = () => {} }) {
  const request = new XMLHttpRequest()
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  // Last, so that the service knows where it goes before it comes.
  form.append('file', file, file.name)
  const answer = new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    request.addEventListener('error', () => reject(new ApiError(brokenOff, 0)))
    request.addEventListener('abort', () => reject(new ApiError('aborted', 0)))
    request.addEventListener('load', () => {
      const { status, response } = request
      if (status >= 200 && status < 300 && response !== null) return resolve(response)
      if (status === 401) signIn()
      reject(new ApiError(response?.message ?? response?.error ?? `The service answered ${status}.`, status, response ?? {}))
    })
  })
  request.open('POST', path)
  request.responseType = 'json'
  for (const [name, value] of Object.entries(tokenHeaders)) request.setRequestHeader(name, value)
  request.send(form)
  return { answer, abort: () => request.abort() }
}

/**
 * The files of a drop or a paste. Folders are left out: a browser hands them over as files that cannot be read.
 * @param {DataTransfer} transfer
 * @returns {File[]}
 */
export function filesOf (transfer) {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  return items.filter((item) => item.webkitGetAsEntry?.()?.isDirectory !== true).map((item) => item.getAsFile()).filter((file) => file !== null)
}

/**
 * Lets files be dropped on an element.
 * @param {HTMLElement} target has the class `dropping` meanwhile
 * @param {object} options
 * @param {() => boolean} options.isWanted
 * @param {(files: File[]) => void} options.onFiles
 */
export function takeDrops (target, { isWanted, onFiles }) {
  let depth = 0
  const isForUs = (event) => event.dataTransfer?.types.includes('Files') === true && isWanted()
  const leave = () => {
    depth = 0
    target.classList.remove('dropping')
  }
  target.addEventListener('dragenter', (event) => {
    if (!isForUs(event)) return
    event.preventDefault()
    depth++
    target.classList.add('dropping')
  })
  target.addEventListener('dragover', (event) => {
    if (!isForUs(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
  })
  target.addEventListener('dragleave', () => { if (depth > 0 && --depth === 0) leave() })
  target.addEventListener('drop', (event) => {
    leave()
    if (!isForUs(event)) return
    event.preventDefault()
    const files = filesOf(event.dataTransfer)
    if (files.length > 0) onFiles(files)
  })
}
