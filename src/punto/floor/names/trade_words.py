"""Words of the trade that suggest somebody of the house. Chinese ones are in both scripts."""

ANYWHERE = """
admin dealer croupier supervisor manager auditor inspector cashier staff employee operator moderator surveillance
security support helpdesk official customerservice customercare casino pitboss floorperson superuser webmaster
floorman boxman sysop gamemaster compliance regulator commissioner countroom receptionist concierge director
management attendant hostess ladderman accountant treasurer chiprunner gamingofficer eyeinthesky cctv
authority paymaster payoutdesk tablegames headoftables regulatory

荷官 庄荷 莊荷 管理 经理 經理 主管 总监 總監 督察 监场 監場 巡场 巡場 部长 部長 领班 領班 场务 場務
赌场 賭場 赌厅 賭廳 娱乐场 娛樂場 本场 本場 官方 老板 老闆 公关 公關 运营 運營
客服 客户服务 客戶服務 服务台 服務台 工作人员 工作人員 员工 員工 职员 職員
监台 監台 主任 场监 場監 巡台 发牌 發牌 派牌 值班 当值 當值 监督 監督 监管 監管 纠察 糾察 警察 警卫 警衛 安保
财务 財務 会计 會計 账务 賬務 帐务 帳務 兑换 兌換 柜台 櫃檯 櫃台 前台 服务员 服務員 技术员 技術員
网管 網管 站长 站長 版主 合规 合規 风控 風控 反洗钱 反洗錢 公司
庄家 莊家 控台 服务生 服務生 政府 当局 當局 司警 博彩监 博彩監
审计 審計 稽核 稽查 监控 監控 保安 收银 收銀 出纳 出納 账房 帳房 賬房 帐房 监察 監察 博监 博監 裁判
班长 班長 接待 叠码 疊碼 経理 支配人 技术支持 技術支援 系统 系統 控制台
"""
"""Not even as a part of a visitor's name."""
WHOLE = (
    "host pit cage boss owner root system mod help service server punto shift mgr duty sup ops ceo chairman teller"
    " gm cra police guard kefu heguan guanliyuan jingli zhuren zhiban"
)
"""Also parts of real names, such as Pitt: not as a whole word of a visitor's name."""
