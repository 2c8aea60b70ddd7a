import { type Words } from '../en/index.js'

export const review: Words['review'] = {
  title: '评审',
  sentTitle: (count) => `评审，含 ${count} 条评论`,
  asSent: '智能体读到的内容',
  label: (line, end) => line === end ? `评论第 ${line} 行` : `评论第 ${line} 至 ${end} 行`,
  hint: '希望智能体修改或解释什么？',
  add: '加入评审',
  count: (count) => `${count} 条评论`,
  send: (count) => `发送 ${count} 条评论`,
  sent: '评审已发送。',
  queued: '评审已排队，这一轮结束后智能体就会收到。',
  commentOn: (name, line) => `对 ${name} 第 ${line} 行的评论`,
  actions: '这条评论的操作',
  show: '查看这些行',
  edit: '编辑',
  resolve: '标为已解决',
  reopen: '重新打开',
  remove: '删除',
  removed: '评论已删除。',
  answer: '智能体的回答',
  gone: '找不到这些行',
  found: { moved: '已移动', changed: '行已改动', deleted: '行已删除' },
  states: { draft: '草稿', sent: '已发送', changed: '已修改', answered: '已回答', open: '待处理', resolved: '已解决' },
  see: '标为已看',
  unsee: '标为未看',
  seen: '已看'
}
