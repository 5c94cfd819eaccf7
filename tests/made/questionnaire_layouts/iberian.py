"""Questionnaires in Spanish and in Portuguese."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_SPANISH = (
    (
        "Gobierno",
        (
            "¿Existe una política de seguridad de la información aprobada por la dirección?",
            "¿Se ha nombrado a una persona responsable de la seguridad?",
            "¿Se revisan los riesgos al menos una vez al año?",
        ),
    ),
    (
        "Protección de datos",
        (
            "¿Se cifran los datos personales en reposo y en tránsito?",
            "¿Se firma un contrato de encargo con cada subencargado?",
            "Indique el plazo en que se comunica al cliente una violación de seguridad.",
        ),
    ),
    (
        "Continuidad",
        (
            "¿Se prueban las copias de seguridad mediante restauraciones periódicas?",
            "Describa el plan de recuperación ante desastres y la fecha de su última prueba.",
        ),
    ),
)


def spanish() -> Layout:
    """Sí, No and N/A to tick, with remarks; the section's title stands in the column of the number."""
    form = Form("cuestionario", "Cuestionario de seguridad para proveedores.xlsx")
    page = form.page("Cuestionario")
    page.widths(A=8, B=70, C=6, D=6, E=6, F=55)
    page.section(1, "A1:F1", A="CUESTIONARIO DE SEGURIDAD PARA PROVEEDORES")
    page.lead(2, A="Proveedor:", D="Fecha:")
    page.refuse(3, A="Marque con una X la casilla que corresponda. ¿Dudas? Escriba a compras@cliente.example.")
    page.head(5, A="N.º", B="Pregunta", C="Sí", D="No", E="N/A", F="Observaciones / Evidencia")
    row = 6
    for number, (title, questions) in enumerate(_SPANISH, start=1):
        page.section(row, A=f"{number}. {title}")
        for index, text in enumerate(questions, start=1):
            row += 1
            page.ask(row, "B", text, "F", verdicts={"yes": "C", "no": "D", "na": "E"}, A=f"{number}.{index}")
        row += 1
    page.refuse(row, B="Total de respuestas afirmativas")
    page.formula(row, "C", f'=COUNTIF(C6:C{row - 1},"X")', 0)
    return form.layout()


_PORTUGUESE = (
    ("RF01", "O sistema deve permitir a consulta pública de processos sem autenticação.", "Obrigatório"),
    ("RF02", "O sistema deve enviar notificações por correio eletrônico a cada mudança de fase.", "Obrigatório"),
    ("RF03", "O sistema deve gerar relatórios em formato aberto (ODS ou CSV).", "Desejável"),
    ("RF04", "A solução deve possuir aplicativo para dispositivos móveis.", "Desejável"),
    ("RNF01", "Os dados devem ser armazenados em território nacional.", "Obrigatório"),
    ("RNF02", "O tempo de resposta das consultas não deve exceder três segundos.", "Obrigatório"),
    ("RNF03", "A contratada deve manter cópias de segurança diárias por noventa dias.", "Obrigatório"),
)
_LGPD = (
    "Quem é o encarregado pelo tratamento de dados pessoais e como pode ser contatado?",
    "Há transferência internacional de dados pessoais? Em caso afirmativo, para quais países?",
    "Como são atendidos os pedidos dos titulares de dados, e em que prazo?",
)


def portuguese() -> Layout:
    """The head in row 6 below a stamp of the authority, and a second sheet without numbers."""
    form = Form("requisitos", "Anexo I-B Matriz de requisitos.xlsx")
    page = form.page("Requisitos")
    for row, text in enumerate(
        ("PREFEITURA MUNICIPAL", "Secretaria de Gestão", "Pregão eletrônico n.º 41/2026 – Anexo I-B"), start=1
    ):
        page.refuse(row, f"B{row}:F{row}", B=text)
    page.refuse(4, B="Instrução: a licitante deve preencher as colunas E e F para todos os requisitos.")
    page.head(
        6, B="Código", C="Requisito", D="Obrigatoriedade", E="Atende? (Sim/Não/Parcial)", F="Comentários da licitante"
    )
    for row, (ident, text, kind) in enumerate(_PORTUGUESE, start=7):
        page.ask(row, "C", text, "E", comment="F", B=ident, D=kind)
    page.choose("E7:E13", "Sim", "Não", "Parcial")
    page = form.page("LGPD")
    page.head(1, A="Pergunta", B="Resposta")
    for row, text in enumerate(_LGPD, start=2):
        page.ask(row, "A", text, "B")
    return form.layout()
