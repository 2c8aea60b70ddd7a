import { type Words } from '../en/index.js'

export const diff: Words['diff'] = {
  comment: '评论',
  commentOn: (line) => `评论第 ${line} 行`,
  revert: '还原',
  added: '新增',
  removed: '删除',
  counts: (added, removed) => `新增 ${added} 行，删除 ${removed} 行`,
  unchanged: (lines) => `${lines.toLocaleString('zh')} 行未改动`,
  created: '新文件',
  deleted: '已删除',
  renamed: (from) => `原名 ${from}`,
  before: '之前',
  after: '之后',
  pixels: (width, height) => `${width} × ${height} px`,
  noPicture: '无法显示这张图片。',
  binary: '二进制文件，无法显示内容。',
  ofDocument: '文档的文字：',
  sameDocument: '文档的文字相同。文件中的其他内容有变化，例如版式。',
  noDocument: '无法读取此文档的文字。',
  otherDocument: '两个版本的共同之处太少，无法比较。',
  noChange: '没有改动。',
  noNewline: '末尾没有换行',
  truncated: '改动太长，其余部分未显示。'
}
