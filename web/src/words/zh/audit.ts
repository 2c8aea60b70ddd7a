import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note: '谁登录过，以及允许、更改、删除、导出和分享了什么。记录无法修改；默认保留一年，管理员可另行设置。',
  search: '搜索日志',
  kind: '类别',
  all: '全部',
  groups: {
    attempts: '多次尝试', check: '检查', pull: '拉取请求', hook: '外部触发', plan: '计划', mode: '计划模式',
    auth: '登录与密码', passkey: '通行密钥', device: '设备与令牌', pairing: '配对', approval: '批准', question: '提问', grant: '长期许可',
    yolo: '不询问直接运行', settings: '设置', config: '配置', key: '密钥', mcp: 'MCP 服务器', plugin: '插件', skill: '技能', memory: '记忆',
    profile: '配置档案', job: '任务', session: '对话', project: '项目', share: '分享的页面', file: '文件', trash: '回收站', checkpoint: '检查点', git: 'Git',
    backup: '备份', update: '更新', machine: '机器', audit: '本记录'
  },
  actions: {
    switchedOn: '开启', switchedOff: '关闭',
    sign_in: '登录', sign_out: '退出登录', password: '设置或移除密码', passwordless: '切换无密码登录', open_acknowledged: '确认开放访问', registered: '注册',
    renamed: '重命名', deleted: '删除', created: '创建', revoked: '撤销', begun: '创建配对码', ended: '取消', completed: '完成', answered: '已回答',
    added: '添加', removed: '移除', switched: '开启或关闭', started: '开始', changed: '更改', set: '设置', server: '添加、更改或移除', saved: '保存',
    imported: '导入', import_undone: '撤销导入', cut: '移除末尾消息', exported: '导出', attached: '在此继续', restored: '恢复', discarded: '放弃更改',
    pushed: '推送', taken: '采用', taken_back: '撤回', stopped: '停止', opened: '打开', ready: '可供审阅', commented: '评论', resolved: '讨论已解决或重新打开',
    merged: '合并', closed: '关闭', applied: '安装', joined: '加入', left: '离开', forgotten: '从列表移除', trimmed: '清理旧记录'
  },
  said: (group, action) => `${group}：${action}`,
  when: '时间',
  who: '操作者',
  none: '没有记录。',
  older: '显示更早的记录',
  csv: '导出为 CSV',
  ndjson: '导出为 NDJSON',
  open: '任何能访问本服务的人',
  actors: { person: '已登录', device: '设备', nobody: '未登录', agent: '智能体', service: '服务', console: '命令行' },
  outcomes: { failed: '失败', throttled: '尝试过多' }
}
