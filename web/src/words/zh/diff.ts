import { type Words } from '../en/index.js'

export const diff: Words['diff'] = {
  added: '新增',
  removed: '删除',
  counts: (added, removed) => `新增 ${added} 行，删除 ${removed} 行`,
  unchanged: (lines) => `${lines.toLocaleString('zh')} 行未改动`,
  created: '新文件',
  deleted: '已删除',
  renamed: (from) => `原名 ${from}`,
  binary: '二进制文件，无法显示内容。',
  noChange: '没有改动。',
  noNewline: '末尾没有换行',
  truncated: '改动太长，其余部分未显示。'
}
